// Size of letters in pictures: larger on a wide page, which a projector may show to many. The style sheet has the same width.

const wide = matchMedia("(min-width: 1600px)");
const LARGE = 1.3;

/** Factor of the usual size of letters. */
export function size(): number {
  return wide.matches ? LARGE : 1;
}

/** Calls `act` when the factor changes. */
export function whenSized(act: () => void): void {
  wide.addEventListener("change", act);
}

// Colours of flows and of the page. The first eight colours of flows can be distinguished with any kind of colour vision.

const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#b5568f", "#7a6a00", "#1f8fc4", "#a83232", "#5b4db3"];
const DARK = ["#56b4e9", "#ff9a4d", "#33c79a", "#e38fc0", "#e0cd3f", "#8fd0f5", "#ff8080", "#b3a8ff"];

const scheme = matchMedia("(prefers-color-scheme: dark)");
/** Colours of the style sheet that have been read; the browser computes styles again for each reading. */
const known = new Map<string, string>();
// This listener is registered before those that draw again, so they find the new colours.
scheme.addEventListener("change", () => known.clear());

/** True if the page has a dark background now. */
export function isDark(): boolean {
  return scheme.matches;
}

/** Colour of the flow with this number. */
export function ofFlow(flow: number): string {
  const own = (isDark() ? DARK : LIGHT)[flow];
  if (own) return own;
  // Hues that differ by the golden angle: flows with successive numbers get clearly different colours.
  const hue = Math.round((flow * 137.508) % 360);
  return isDark() ? `hsl(${hue} 65% 68%)` : `hsl(${hue} 70% 34%)`;
}

/** Value of a colour variable of the style sheet. */
export function variable(name: string): string {
  const read = known.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  known.set(name, read);
  return read;
}

// Colours of flows and of the page. The first eight are told apart by people with any colour vision.

const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#b5568f", "#7a6a00", "#1f8fc4", "#a83232", "#5b4db3"];
const DARK = ["#56b4e9", "#ff9a4d", "#33c79a", "#e38fc0", "#e0cd3f", "#8fd0f5", "#ff8080", "#b3a8ff"];

const scheme = matchMedia("(prefers-color-scheme: dark)");
/** Colours of the style sheet that have been read, since each reading makes the browser compute styles. */
const known = new Map<string, string>();
// Before those who draw anew, which ask later.
scheme.addEventListener("change", () => known.clear());

/** True if the page is dark now. */
export function isDark(): boolean {
  return scheme.matches;
}

/** Colour of the flow with this number. */
export function ofFlow(flow: number): string {
  const own = (isDark() ? DARK : LIGHT)[flow];
  if (own) return own;
  // Golden angle: neighbours differ however many there are.
  const hue = Math.round((flow * 137.508) % 360);
  return isDark() ? `hsl(${hue} 65% 68%)` : `hsl(${hue} 70% 34%)`;
}

/** Value of a colour variable of the style sheet. */
export function variable(name: string): string {
  const read = known.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  known.set(name, read);
  return read;
}

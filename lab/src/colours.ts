// Colours of flows and of the page. The first eight are told apart by people with any colour vision.

const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#b5568f", "#7a6a00", "#1f8fc4", "#a83232", "#5b4db3"];
const DARK = ["#56b4e9", "#ff9a4d", "#33c79a", "#e38fc0", "#e0cd3f", "#8fd0f5", "#ff8080", "#b3a8ff"];

/** True if the page is dark now. */
export function isDark(): boolean {
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Colour of the flow with this number. */
export function ofFlow(flow: number): string {
  const known = isDark() ? DARK : LIGHT;
  const own = known[flow];
  if (own) return own;
  // Golden angle: neighbours differ however many there are.
  const hue = Math.round((flow * 137.508) % 360);
  return isDark() ? `hsl(${hue} 65% 68%)` : `hsl(${hue} 70% 34%)`;
}

/** Value of a colour variable of the style sheet. */
export function variable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// Title of a run: the name of its scenario and the settings that tell it from the other run, or from its template.

/** What tells a run from others. */
export interface Told {
  /** Settings in the order in which they were made: paths and values. */
  set: readonly [string, string][];
  /** Name of the control scheme at switches; empty if it is not known. */
  scheme: string;
  /** Number of changes during the run. */
  changes: number;
}

const CONTROL = "switch.control";
/** Most settings in a title. */
const MOST = 2;

/** The title of a run; beside another run, only settings are named in which the two differ. */
export function titleOf(name: string, own: Told, other?: Told): string {
  const others = new Map(other?.set ?? []);
  const differ = own.set.filter(([path, literal]) => others.get(path) !== literal);
  // The scheme comes first, then choices among variants: other settings are their parameters. Of equal ones the last made comes first.
  const rank = ([path, literal]: [string, string]) => (path === CONTROL ? 2 : literal.startsWith("{") ? 1 : 0);
  const sorted = (differ.length > 0 || !other ? differ : [...own.set]).reverse().sort((a, b) => rank(b) - rank(a));
  const isOther = other !== undefined && own.scheme !== "" && own.scheme !== other.scheme;
  const settings = isOther ? [`control ${own.scheme}`, ...sorted.filter(([path]) => path !== CONTROL).map(said)] : sorted.map(said);
  const shown = settings.slice(0, MOST).join(", ");
  const more = settings.length > MOST ? ` and ${settings.length - MOST} more` : "";
  const during = own.changes > 0 ? `, ${own.changes} ${own.changes === 1 ? "change" : "changes"} during the run` : "";
  return `${shown ? `${name}, ${shown}${more}` : name}${during}`;
}

/** A setting by the last word of its path and its value, or by the name of a variant. */
function said([path, literal]: [string, string]): string {
  return `${path.split(".").at(-1)} ${literal.replace(/^\{\s*\w+\s*=\s*"([^"]*)".*\}$/, "$1")}`;
}

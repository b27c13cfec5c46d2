// The names of keys on the page.

/** The field's names, where a key has them in small letters. */
const NAMES: Record<string, string> = Object.fromEntries("ABR ACR ADTF AIR BBR CCR CDF CI CRM ECN EFCI ER ICR MCR MDF MRM MSS NRM PCR PDU RDF RIF RM RTD RTO RTT TBE TCP TCR TM4 TOF TRM UBR VBR VC".split(" ").map((name) => [name.toLowerCase(), name]));

/** A key as a reader sees it: its words, with the field's capitals. */
export function named(key: string): string {
  const words = key.split("_").map((word) => NAMES[word] ?? word).join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

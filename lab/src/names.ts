// Names of keys as the page shows them.

/** Abbreviations of the field, which keys have in small letters. */
const NAMES: Record<string, string> = Object.fromEntries("ABR ACR ADTF AIR BBR CCR CDF CI CRM ECN EFCI ER ICR MCR MDF MRM MSS NRM PCR PDU RDF RIF RM RTD RTO RTT TBE TCP TCR TM4 TOF TRM UBR VBR VC".split(" ").map((name) => [name.toLowerCase(), name]));

/** The name of a key for the user: its words, with the field's abbreviations in capitals. */
export function named(key: string): string {
  const words = key.split("_").map((word) => NAMES[word] ?? word).join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

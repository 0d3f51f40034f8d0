/** A text as a filter compares it, to the letter. */
export const quoted = (text: string): string => `"${text.replaceAll(/["\\*]/g, "\\$&")}"`

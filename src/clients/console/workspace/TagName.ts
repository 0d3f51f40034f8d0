/** The name of a tag that was typed: without its sign, and without white space, which a tag cannot have. */
export const tagName = (typed: string): string => typed.trim().replace(/^#/, "").replaceAll(/\s+/g, "-")

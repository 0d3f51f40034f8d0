import { create } from "content-disposition"

/** Control characters, line and paragraph separators, marks that change the direction of text, and path separators. */
const unsafe = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff/\\]/gu

/** For clients without support for `filename*`: letters without their marks, and no `%41`, which some clients decode. */
const asciiOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\x20-\x7e]/gu, "_")
    .replace(/"|\\|\/|%(?=[0-9a-f]{2})/gi, "_")

/** Content-Disposition for a file name (RFC 6266, RFC 8187), without characters that make it look like another name. */
export const dispositionOf = (filename: string, isInline: boolean): string => {
  const name = filename.toWellFormed().replace(unsafe, "_").trim() || "file"
  return create(name, { type: isInline ? "inline" : "attachment", fallback: asciiOf(name) })
}

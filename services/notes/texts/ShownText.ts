/** Texts of users that are shown shortened, between two characters. */

export const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

/** The first code points of a text, at most `most` of them; `…` shows that there are more. */
export const shortened = (text: string, most: number): string => {
  if (text.length <= most) return text
  let end = 0
  for (let count = 0; count < most && end < text.length; count++) {
    end += isHighSurrogate(text.charCodeAt(end)) ? 2 : 1
  }
  return end >= text.length ? text : `${text.slice(0, end)}…`
}

/** The same from a place in the text on; `…` shows what is left out. */
export const shortenedFrom = (text: string, from: number, most: number): string => {
  if (from <= 0) return shortened(text, most)
  const start = isHighSurrogate(text.charCodeAt(from - 1)) ? from - 1 : from
  return `…${shortened(text.slice(start), most)}`
}

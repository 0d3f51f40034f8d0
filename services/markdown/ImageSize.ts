/** A width, or a width and a height, behind the last bar in the words of an image: `![alt|300](…)`, `![[x.png|300x200]]`. */
const size = /^(\d{1,4})(?:x(\d{1,4}))?$/

/** The size of an image as it is written, and where it is in the words. */
export interface ImageSize {
  readonly width: string
  readonly height: string | undefined
  readonly from: number
  readonly to: number
}

/** The size in the words of an image; undefined if they have none. */
export const imageSizeIn = (words: string): ImageSize | undefined => {
  const bar = words.lastIndexOf("|")
  const last = words.slice(bar + 1)
  const written = last.trim()
  const [, width, height] = bar < 0 ? [] : (size.exec(written) ?? [])
  if (width === undefined) return undefined
  const from = bar + 1 + last.indexOf(written)
  return { width, height, from, to: from + written.length }
}

import { frontMatter } from "../markdown/PrivateParts.ts"
import { plainText } from "../markdown/PlainText.ts"
import { shortened } from "../markdown/Rendered.ts"

/** Characters at the beginning of a body from which its excerpt is made. Longer front matter is not found. */
export const excerptSource = 2_000

/** Characters after the front matter that are read: Markdown can be much longer than its text. */
const maxRead = 800

const comment = /%%[^%]*%%/g

/** The first words of a note on one line, at most 200 characters, from the beginning of its body. */
export const excerptOf = (beginning: string): string => {
  const start = frontMatter.exec(beginning)?.[0].length ?? 0
  const text = beginning.slice(start, start + maxRead).replaceAll(comment, "")
  return shortened(plainText(text, 0, text.length), 199)
}

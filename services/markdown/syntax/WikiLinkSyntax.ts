import type { Literal } from "mdast"
import type { Extension as FromMarkdown } from "mdast-util-from-markdown"
import type { Code, Construct, Extension, State, TokenizeContext } from "micromark-util-types"

/**
 * Parses `[[target|words]]` and `![[target]]` of note apps. Their content is no Markdown: `[[*star*]]` leads to the note
 * "*star*". `[[1]](url)` is a link of CommonMark with the label "[1]".
 */

declare module "micromark-util-types" {
  interface TokenTypeMap {
    wikiLink: "wikiLink"
  }
}

/** A link in double brackets. Its value is the text between them, as it is in the source. */
export interface WikiLink extends Literal {
  type: "wikiLink"
  isEmbed: boolean
}

declare module "mdast" {
  interface PhrasingContentMap {
    wikiLink: WikiLink
  }
  interface RootContentMap {
    wikiLink: WikiLink
  }
}

const [mark, opening, closing, parenthesis] = [33, 91, 93, 40]

/** Maximum characters between the brackets. */
const longest = 500

const isEnd = (code: Code): boolean => code === null || code === -5 || code === -4 || code === -3

const link: Construct = {
  name: "wikiLink",
  tokenize(this: TokenizeContext, effects, ok, nok) {
    let size = 0
    const start: State = (code) => {
      effects.enter("wikiLink")
      if (code !== mark) return first(code)
      effects.consume(code)
      return first
    }
    const first: State = (code) => {
      if (code !== opening) return nok(code)
      effects.consume(code)
      return second
    }
    const second: State = (code) => {
      if (code !== opening) return nok(code)
      effects.consume(code)
      return inside
    }
    const inside: State = (code) => {
      if (code === closing && size > 0) {
        effects.consume(code)
        return last
      }
      if (isEnd(code) || code === opening || code === closing || ++size > longest) return nok(code)
      effects.consume(code)
      return inside
    }
    const last: State = (code) => {
      if (code !== closing) return nok(code)
      effects.consume(code)
      return after
    }
    const after: State = (code) => {
      if (code === parenthesis) return nok(code)
      effects.exit("wikiLink")
      return ok(code)
    }
    return start
  }
}

export const wikiLinks: Extension = { text: { [mark]: link, [opening]: link } }

export const wikiLinksFromMarkdown: FromMarkdown = {
  enter: {
    wikiLink(token) {
      const written = this.sliceSerialize(token)
      const isEmbed = written.startsWith("!")
      this.enter({ type: "wikiLink", isEmbed, value: written.slice(isEmbed ? 3 : 2, -2) }, token)
    }
  },
  exit: {
    wikiLink(token) {
      this.exit(token)
    }
  }
}

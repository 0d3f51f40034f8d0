import type { Extension as FromMarkdown } from "mdast-util-from-markdown"
import {
  classifyCharacter,
  isCjk,
  isNonCjkPunctuation,
  isUnicodeWhitespace
} from "micromark-extension-cjk-friendly-util"
import type { Code, Construct, Event, Extension, Resolver, State, Token } from "micromark-util-types"

/** Parses `==text==` as marked text, by the rules of `~~text~~` in GFM. Pairs sequences in one pass, in linear time. */

declare module "micromark-util-types" {
  interface TokenTypeMap {
    mark: "mark"
    markSequence: "markSequence"
    markSequenceTemporary: "markSequenceTemporary"
  }
}

const equals = 61

/** Whether a sequence may be at the side of a mark that has the inner character. CJK has no space where others have one. */
const isBound = (inner: Code, outer: Code): boolean => {
  const [inside, outside] = [classifyCharacter(inner), classifyCharacter(outer)]
  const isAfterWord = !isUnicodeWhitespace(outside) && !isNonCjkPunctuation(outside) && !isCjk(outside)
  return !isUnicodeWhitespace(inside) && !(isNonCjkPunctuation(inside) && isAfterWord)
}

/** Resolves the events inside a mark separately: emphasis does not cross its bounds. */
const inside: Resolver = (events, context) => {
  const resolvers = new Set((context.parser.constructs.insideSpan.null ?? []).map((construct) => construct.resolveAll))
  return [...resolvers].reduce((all, resolve) => (resolve === undefined ? all : resolve(all, context)), events)
}

const resolveAll: Resolver = (events, context) => {
  const made: Array<Event> = []
  /** The position in `made` of the last sequence that may open a mark. */
  let opened: number | undefined
  for (let index = 0; index < events.length; index++) {
    const event = events[index]!
    const [kind, token] = event
    if (kind === "enter" && token.type === "markSequenceTemporary") {
      if (token._close === true && opened !== undefined) {
        const open = made[opened]![1]
        const mark: Token = { type: "mark", start: { ...open.start }, end: { ...token.end } }
        open.type = "markSequence"
        token.type = "markSequence"
        const between = made.splice(opened + 2)
        made.splice(opened, 0, ["enter", mark, context])
        for (const each of inside(between, context)) made.push(each)
        // A sequence has only an enter and an exit event.
        made.push(event, events[++index]!, ["exit", mark, context])
        opened = undefined
        continue
      }
      if (token._open === true) opened = made.length
    }
    made.push(event)
  }
  for (const [, token] of made) if (token.type === "markSequenceTemporary") token.type = "data"
  // The tokenizer keeps its reference to this list.
  events.length = 0
  for (const event of made) events.push(event)
  return events
}

const sequence: Construct = {
  name: "mark",
  resolveAll,
  tokenize(effects, ok, nok) {
    const before = this.previous
    let size = 0
    const start: State = (code) => {
      if (before === equals && this.events.at(-1)?.[1].type !== "characterEscape") return nok(code)
      effects.enter("markSequenceTemporary")
      return more(code)
    }
    const more: State = (code) => {
      if (code === equals) {
        if (size > 1) return nok(code)
        effects.consume(code)
        size++
        return more
      }
      if (size < 2) return nok(code)
      const token = effects.exit("markSequenceTemporary")
      token._open = isBound(code, before)
      token._close = isBound(before, code)
      return ok(code)
    }
    return start
  }
}

export const marks: Extension = {
  text: { [equals]: sequence },
  insideSpan: { null: [sequence] },
  attentionMarkers: { null: [equals] }
}

export const marksFromMarkdown: FromMarkdown = {
  canContainEols: ["mark"],
  enter: {
    mark(token) {
      // mdast has no marks: it is emphasis with another element name.
      this.enter({ type: "emphasis", children: [], data: { hName: "mark" } }, token)
    }
  },
  exit: {
    mark(token) {
      this.exit(token)
    }
  }
}

import type { Code, Construct, Extension, State, Token } from "micromark-util-types"

/**
 * Formulas by the rules of Obsidian and pandoc: `$5 and $10` is text. The constructs of `remark-math` take every pair
 * of dollars for a formula, and text next to `$$` for the name of a fence. These constructs replace them and produce
 * the same tokens. Only the next dollars can close a formula, so that the work is linear in the text.
 */

declare module "micromark-util-types" {
  interface TokenTypeMap {
    mathFlow: "mathFlow"
    mathFlowFence: "mathFlowFence"
    mathFlowFenceSequence: "mathFlowFenceSequence"
    mathFlowValue: "mathFlowValue"
    mathText: "mathText"
    mathTextData: "mathTextData"
    mathTextSequence: "mathTextSequence"
  }
}

const dollar = 36
const backslash = 92

const isLineEnding = (code: Code): boolean => code !== null && code < -2
/** White space, or the end of a line. */
const isSpace = (code: Code): boolean => code !== null && (code < 0 || code === 32)
const isDigit = (code: Code): boolean => code !== null && code >= 48 && code <= 57

/** `$x$`, and `$$x$$` within a paragraph. */
const formula: Construct = {
  name: "dollarText",
  previous(code) {
    return code !== dollar || this.events.at(-1)?.[1].type === "characterEscape"
  },
  tokenize(effects, ok, nok) {
    let size = 0
    let closing = 0
    let before: Code = null
    let isEscaped = false
    let fence: Token

    const start: State = (code) => {
      effects.enter("mathText")
      effects.enter("mathTextSequence")
      return open(code)
    }
    const open: State = (code) => {
      if (code === dollar) {
        effects.consume(code)
        size++
        return open
      }
      if (size > 2 || (size === 1 && isSpace(code))) return nok(code)
      effects.exit("mathTextSequence")
      return between(code)
    }
    const between: State = (code) => {
      if (code === null) return nok(code)
      if (isLineEnding(code)) {
        effects.enter("lineEnding")
        effects.consume(code)
        effects.exit("lineEnding")
        before = code
        isEscaped = false
        return between
      }
      if (code === dollar && !isEscaped) {
        if (size === 1 && isSpace(before)) return nok(code)
        fence = effects.enter("mathTextSequence")
        closing = 0
        return close(code)
      }
      effects.enter("mathTextData")
      return data(code)
    }
    const data: State = (code) => {
      if (code === null || isLineEnding(code) || (code === dollar && !isEscaped)) {
        effects.exit("mathTextData")
        return between(code)
      }
      isEscaped = code === backslash && !isEscaped
      before = code
      effects.consume(code)
      return data
    }
    const close: State = (code) => {
      if (code === dollar) {
        effects.consume(code)
        closing++
        return close
      }
      if (closing === size) {
        if (size === 1 && isDigit(code)) return nok(code)
        effects.exit("mathTextSequence")
        effects.exit("mathText")
        return ok(code)
      }
      if (closing > size || size === 1) return nok(code)
      // One dollar between two pairs belongs to the formula, as in `$$\text{$a$}$$`.
      fence.type = "mathTextData"
      return data(code)
    }
    return start
  }
}

/** From `$$` at the beginning of a line to `$$` at the end of a line. */
const block: Construct = {
  name: "dollarFlow",
  concrete: true,
  tokenize(effects, ok, nok) {
    const isLazy = () => this.parser.lazy[this.now().line] === true
    const isInterrupt = this.interrupt === true
    let isEscaped = false
    let size = 0

    const fence = (next: State): State => {
      const sequence: State = (code) => {
        if (code === dollar && size < 2) {
          effects.consume(code)
          size++
          return sequence
        }
        if (size < 2 || code === dollar) return nok(code)
        effects.exit("mathFlowFenceSequence")
        return next(code)
      }
      return (code) => {
        size = 0
        effects.enter("mathFlowFence")
        effects.enter("mathFlowFenceSequence")
        return sequence(code)
      }
    }
    const opened = fence((code) => {
      effects.exit("mathFlowFence")
      return between(code)
    })
    const start: State = (code) => {
      effects.enter("mathFlow")
      return opened(code)
    }
    const between: State = (code) => {
      if (code === null) return nok(code)
      if (isLineEnding(code)) {
        // The paragraph ends before this line in any case; the next attempt decides whether the line begins a formula.
        if (isInterrupt) return ok(code)
        effects.enter("lineEnding")
        effects.consume(code)
        effects.exit("lineEnding")
        isEscaped = false
        return lineStart
      }
      if (code === dollar && !isEscaped) return effects.check(pair, closed, single)(code)
      effects.enter("mathFlowValue")
      return data(code)
    }
    const lineStart: State = (code) => (isLazy() ? nok(code) : between(code))
    const single: State = (code) => {
      effects.enter("mathFlowValue")
      effects.consume(code)
      return data
    }
    const data: State = (code) => {
      if (code === null || isLineEnding(code) || (code === dollar && !isEscaped)) {
        effects.exit("mathFlowValue")
        return between(code)
      }
      isEscaped = code === backslash && !isEscaped
      effects.consume(code)
      return data
    }
    const closed = fence((code) => {
      if (!isSpace(code) || isLineEnding(code)) return end(code)
      effects.enter("whitespace")
      return space(code)
    })
    const space: State = (code) => {
      if (isSpace(code) && !isLineEnding(code)) {
        effects.consume(code)
        return space
      }
      effects.exit("whitespace")
      return end(code)
    }
    const end: State = (code) => {
      if (code !== null && !isLineEnding(code)) return nok(code)
      effects.exit("mathFlowFence")
      effects.exit("mathFlow")
      return ok(code)
    }
    return start
  }
}

/** Two dollars, which end a block. */
const pair: Construct = {
  partial: true,
  tokenize(effects, ok, nok) {
    const second: State = (code) => (code === dollar ? ok(code) : nok(code))
    return (code) => {
      effects.enter("mathFlowFenceSequence")
      effects.consume(code)
      effects.exit("mathFlowFenceSequence")
      return second
    }
  }
}

export const dollars: Extension = {
  disable: { null: ["mathText", "mathFlow"] },
  text: { [dollar]: formula },
  flow: { [dollar]: block }
}

import { Effect } from "effect"
import { BadRequest } from "../Errors.ts"
import {
  anyProperty,
  type Comparison,
  fieldOf,
  type Filter,
  type FilterField,
  type FilterFields,
  propertyPrefix
} from "./Filter.ts"
import { isBooleanKey, valueOf, type Written } from "./FilterValue.ts"
import { FilterScanner, isKeyword, isOperator, isSpace, keywords, quoteIt, Wrong } from "./FilterScanner.ts"
import { signAt, signSpelling, wordSpelling } from "./ForeignOperators.ts"

/** Limits of a filter (contract 3). */
const maxBytes = 4096
const maxTerms = 50
const maxDepth = 10

/** Parses one filter from left to right. */
class Reader extends FilterScanner {
  #terms = 0
  readonly #fields: FilterFields

  constructor(text: string, fields: FilterFields) {
    super(text)
    this.#fields = fields
  }

  read(): Filter {
    const filter = this.#expression(0)
    if (this.at < this.text.length) throw new Wrong(this.at, "this parenthesis has no opening parenthesis")
    return filter
  }

  #expression(depth: number): Filter {
    const filters = [this.#term(depth)]
    let kind: "and" | "or" | undefined
    while (true) {
      const end = this.at
      this.spaces()
      if (this.at === this.text.length || this.text[this.at] === ")") break
      const place = this.at
      const next = this.keyword("or") ? "or" : "and"
      const isWritten = next === "or" || this.keyword("and")
      if (isWritten) this.at += next.length
      // A space alone means AND.
      else if (place === end) throw new Wrong(place, `a space is missing here; ${quoteIt}`)
      if (kind !== undefined && kind !== next) {
        throw new Wrong(place, "AND (or a space) and OR together need parentheses that show which comes first")
      }
      kind = next
      filters.push(this.#term(depth))
    }
    return kind === undefined ? filters[0]! : { kind, filters }
  }

  #term(depth: number): Filter {
    let isNegated = false
    while (this.#negation()) isNegated = !isNegated
    const filter = this.#positive(depth)
    return isNegated ? { kind: "not", filter } : filter
  }

  /** `NOT`, or a minus directly before a term. */
  #negation(): boolean {
    this.spaces()
    const isMinus = this.text[this.at] === "-"
    if (!isMinus && !this.keyword("not")) return false
    const next = this.text[this.at + 1]
    if (isMinus && (next === undefined || isSpace(next))) {
      throw new Wrong(this.at, "- must be directly before the term that it negates")
    }
    this.at += isMinus ? 1 : 3
    return true
  }

  #positive(depth: number): Filter {
    const place = this.at
    const char = this.text[place]
    if (char === undefined) throw new Wrong(place, "the filter ends where a term is expected")
    if (char === "(") {
      if (depth === maxDepth) throw new Wrong(place, `parentheses nest at most ${maxDepth} deep`)
      this.at++
      const filter = this.#expression(depth + 1)
      if (this.text[this.at] !== ")") throw new Wrong(place, "this parenthesis is not closed")
      this.at++
      return filter
    }
    const sign = signAt(this.here)
    const isSign = sign !== undefined && (isOperator(char) || this.isEnd(place + sign.length))
    if (isSign) throw new Wrong(place, `${sign} is written ${signSpelling(sign)} here; quote it to look for it as text`)
    if (char === ")" || char === "," || isOperator(char)) throw new Wrong(place, `a term is expected before ${char}`)
    const keyword = keywords.find((name) => this.keyword(name))
    if (keyword !== undefined) {
      throw new Wrong(place, `a term is expected before ${keyword.toUpperCase()}; quote it to look for the word`)
    }
    return this.#restriction()
  }

  #count(place: number): void {
    if (++this.#terms > maxTerms) throw new Wrong(place, `a filter has at most ${maxTerms} terms`)
  }

  /** A field or a bare term. The name of a property may be quoted: `properties."due date"`. */
  #first(): Written {
    const position = this.at
    const isProperty = Object.hasOwn(this.#fields, anyProperty) && this.here.startsWith(propertyPrefix)
    const quote = this.text[position + propertyPrefix.length]
    if (!isProperty || (quote !== '"' && quote !== "'")) return this.word(true)
    this.at += propertyPrefix.length
    const { escaped, text } = this.word(true)
    return { position, text: `${propertyPrefix}${text}`, escaped, isQuoted: false }
  }

  /** A comparison, or a bare term. */
  #restriction(): Filter {
    const word = this.#first()
    const end = this.at
    this.spaces()
    const place = this.at
    const field = word.isQuoted ? undefined : fieldOf(this.#fields, word.text)
    if (!word.isQuoted) this.#refuseForeign(word, field !== undefined, end)
    const operator = /^(?:!=|<=|>=|[=<>:])/.exec(this.text.slice(place, place + 2))?.[0]
    const isIn = operator === undefined && !word.isQuoted && place > end && this.keyword("in")
    if (operator === undefined && !isIn) {
      this.at = end
      this.#count(word.position)
      if (word.text === "") throw new Wrong(word.position, "there is no text between the quotes")
      if (!Object.values(this.#fields).some((field) => field.type === "text" && field.isWords === true)) {
        throw new Wrong(word.position, "this list has no text to search: name a field")
      }
      return { kind: "words", text: word.text }
    }
    if (field === undefined) {
      const name = word.text.slice(0, 50)
      const before = isIn ? "IN is an operator, and " : ""
      throw new Wrong(word.position, `${before}this list has no field "${name}"; to look for the text, quote it whole`)
    }
    this.at = place + (operator ?? "in").length
    this.spaces()
    if (isIn) return this.#among(word.text, field)
    return this.#comparison(word.text, field, operator as Comparison | "!=" | ":", place)
  }

  /** Refuses operators of other languages, written after a field or as the name of a function. */
  #refuseForeign(word: Written, isField: boolean, end: number): void {
    if (this.text[end] === "(" && wordSpelling(word.text) !== undefined) {
      throw new Wrong(
        word.position,
        `${word.text}(…) is written with an operator: field ${wordSpelling(word.text)} value`
      )
    }
    if (!isField) return
    const sign = signAt(this.here)
    const wanted = (written: string, spelling: string) =>
      new Wrong(this.at, `${written} is written ${spelling} here; to look for the words, quote them whole`)
    if (sign !== undefined) throw wanted(sign, signSpelling(sign)!)
    if (this.at === end) return
    // An operator is between two words: "title is" alone are words to look for.
    const [, not, written] = /^(not\s+)?(\w+)\s*[^\s)]/i.exec(this.here) ?? []
    if (written === undefined || !this.isEnd(this.at + (not ?? "").length + written.length)) return
    if (not !== undefined && (isKeyword(written) || wordSpelling(written) !== undefined)) {
      const operator = wordSpelling(written) ?? written.toUpperCase()
      throw wanted(`${not}${written}`, `with NOT before the field, NOT ${word.text} ${operator},`)
    }
    const spelling = wordSpelling(written)
    if (not === undefined && spelling !== undefined) {
      const isNegated = /^is\s+not\s/i.test(this.here)
      throw wanted(written, isNegated ? "!=" : spelling)
    }
  }

  #among(name: string, field: FilterField): Filter {
    if (this.text[this.at] !== "(") throw new Wrong(this.at, "IN needs a list in parentheses")
    const values = []
    do {
      this.at++
      this.spaces()
      const value = this.word(false)
      this.#count(value.position)
      values.push(this.#typed(name, field, value, true))
      this.spaces()
    } while (this.text[this.at] === ",")
    if (this.text[this.at] !== ")") {
      throw new Wrong(this.at, "the list after IN continues with a comma or ends with a parenthesis")
    }
    this.at++
    return { kind: "compare", field: name, comparison: "=", values }
  }

  #comparison(name: string, field: FilterField, operator: Comparison | "!=" | ":", place: number): Filter {
    const value = this.word(false)
    this.#count(value.position)
    const isBare = !value.isQuoted && value.escaped.size === 0
    if (operator === ":") {
      if (isBare && value.text === "*") return { kind: "present", field: name }
      if (field.type === "text") return { kind: "contains", field: name, text: value.text }
      const typed = this.#typed(name, field, value, false)
      return field.type === "property" && typeof typed === "object" && "text" in typed
        ? { kind: "contains", field: name, text: typed.text }
        : { kind: "compare", field: name, comparison: "=", values: [typed] }
    }
    const isEquality = operator === "=" || operator === "!="
    if (isEquality && isBare && value.text === "null" && field.nullable === true) {
      const present: Filter = { kind: "present", field: name }
      return operator === "!=" ? present : { kind: "not", filter: present }
    }
    if (!isEquality && (field.type === "boolean" || field.type === "enum" || field.type === "names")) {
      throw new Wrong(place, `${name} has no order: compare it with = or !=`)
    }
    const typed = this.#typed(name, field, value, isEquality)
    if (!isEquality && field.type === "property" && isBooleanKey(typed)) {
      throw new Wrong(place, `${value.text} has no order: compare it with = or !=, or quote it`)
    }
    const compare: Filter = {
      kind: "compare",
      field: name,
      comparison: operator === "!=" ? "=" : operator,
      values: [typed]
    }
    return operator === "!=" ? { kind: "not", filter: compare } : compare
  }

  #typed(name: string, field: FilterField, value: Written, wildcards: boolean) {
    const typed = valueOf(field, value, wildcards)
    if (typeof typed === "string") throw new Wrong(value.position, `${name} is compared with ${typed}`)
    return typed
  }
}

/** The position of the first character that cannot be stored, or -1. */
const unstorable = (text: string): number => {
  const nul = text.indexOf("\0")
  if (text.isWellFormed()) return nul
  const lone = [...text].reduce(
    ({ at, found }, char) => ({ at: at + char.length, found: found < 0 && !char.isWellFormed() ? at : found }),
    { at: 0, found: -1 }
  ).found
  return nul < 0 ? lone : Math.min(nul, lone)
}

const read = (text: string, fields: FilterFields): Filter => {
  if (Buffer.byteLength(text) > maxBytes) {
    throw new Wrong(Math.min(text.length, maxBytes), `a filter has at most ${maxBytes} bytes`)
  }
  const bad = unstorable(text)
  if (bad >= 0) throw new Wrong(bad, "a filter cannot contain NUL or lone surrogates")
  return new Reader(text, fields).read()
}

/**
 * Parses a filter, a subset of AIP-160 (contract 3), or fails with `invalid_filter` and the `position` of the offending
 * word, in UTF-16 code units from 0. Returns undefined for white space alone.
 */
export const parseFilter = (text: string, fields: FilterFields): Effect.Effect<Filter | undefined, BadRequest> => {
  if (text.trim() === "") return Effect.undefined
  try {
    return Effect.succeed(read(text, fields))
  } catch (error) {
    if (!(error instanceof Wrong)) throw error
    return Effect.fail(
      new BadRequest({
        code: "invalid_filter",
        detail: `filter, at ${error.position}: ${error.message}`,
        extra: { position: error.position, allowed_fields: Object.keys(fields) }
      })
    )
  }
}

/** The operators of a search that the console adds to those of the server (`tag:x`, `-word`, `"phrase"`). */
export type Operator = "in" | "after" | "before" | "is" | "tag"

/** A notebook, as an operator names it. */
export interface Named {
  readonly id: string
  readonly name: string
}

/** What is asked of the server. */
export interface AskedSearch {
  readonly query: string
  readonly notebook_id?: string
  readonly updated_after?: string
  readonly updated_before?: string
  /** Archived notes alone, the others alone, or with null both. */
  readonly archived: boolean | null
  /** Conditions on properties, in the language of filters. */
  readonly filter?: string
}

/** An operator with its value, which has quotes if it contains a space. */
const operators = /(?<!\S)(-?)(in|after|before|is|tag):(?:"([^"]*)"|(\S+))/gi

/** A condition on a property, as a filter of the API has it: `properties.status = open`. A following `and` belongs to it. */
const conditions =
  /(?<!\S)(properties\.(?:"(?:[^"\\]|\\.)*"|[^\s":=!<>]+)\s*(?:[!<>]=|[:=<>])\s*(?:"(?:[^"\\]|\\.)*"|[^\s"]+))(?:\s+and(?=\s+properties\.))?/gi

/** The conditions on properties in what was typed. */
export const conditionsIn = (typed: string): ReadonlyArray<string> =>
  [...typed.matchAll(conditions)].map(([, condition]) => condition!)

/** What was typed without the condition of a number. */
export const withoutCondition = (typed: string, index: number): string => {
  let at = 0
  return typed
    .replaceAll(conditions, (found) => (at++ === index ? "" : found))
    .replaceAll(/\s+/g, " ")
    .trim()
}

/** How operators name notebooks: by the id if others have that name, or an operator cannot contain it. */
export const nameIn = (notebooks: ReadonlyArray<Named>) => {
  const byName = Map.groupBy(notebooks, ({ name }) => name.toLowerCase())
  return ({ id, name }: Named): string => (name.includes('"') || byName.get(name.toLowerCase())!.length > 1 ? id : name)
}

const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

/** The value of an operator in what was typed; undefined if it has none. */
export const valueOf = (typed: string, wanted: Operator): string | undefined => {
  const found = [...typed.matchAll(operators)].find(([, , name]) => name!.toLowerCase() === wanted)
  return found && `${found[1]}${found[3] ?? found[4]!}`
}

/** What was typed with another value of an operator, or without it. */
export const withOperator = (typed: string, operator: Operator, value: string | undefined): string => {
  const others = typed
    .replaceAll(operators, (found, _, name: string) => (name.toLowerCase() === operator ? "" : found))
    .replaceAll(/\s+/g, " ")
    .trim()
  if (value === undefined) return others
  const sign = operator === "is" && value.startsWith("-") ? "-" : ""
  const bare = value.slice(sign.length).replaceAll('"', "")
  return `${others} ${sign}${operator}:${/\s/.test(bare) ? `"${bare}"` : bare}`.trim()
}

/**
 * Takes the operators out of what was typed: `in:` the name or id of a notebook, `after:` and `before:` a date of the last change,
 * `is:archived` and `-is:archived`, and conditions on properties. One without a sense, such as the name of no notebook, stays
 * as words.
 */
export const searchOf = (typed: string, notebooks: ReadonlyArray<Named>): AskedSearch => {
  const filter = conditionsIn(typed).join(" AND ")
  let asked: AskedSearch = { query: "", archived: null, ...(filter === "" ? {} : { filter }) }
  const query = typed
    .replaceAll(conditions, "")
    .replaceAll(operators, (found, sign: string, name: string, quoted?: string, bare?: string) => {
      const written = quoted ?? bare ?? ""
      const [operator, value] = [name.toLowerCase(), written.toLowerCase()]
      if (operator === "is" && value === "archived") asked = { ...asked, archived: sign === "" }
      else if (sign !== "") return found
      else if (operator === "after" && isDate(value)) asked = { ...asked, updated_after: value }
      else if (operator === "before" && isDate(value)) asked = { ...asked, updated_before: value }
      else if (operator === "in") {
        const notebook = notebooks.find(({ id, name }) => id === written || name.toLowerCase() === value)
        if (notebook === undefined) return found
        asked = { ...asked, notebook_id: notebook.id }
      } else return found
      return ""
    })
  return { ...asked, query: query.replaceAll(/\s+/g, " ").trim() }
}

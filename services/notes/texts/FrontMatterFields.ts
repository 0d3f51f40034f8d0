import { isScalar, isSeq, type Node } from "yaml"
import { isCalendarDate } from "../../CalendarDate.ts"
import { propertiesOf, type Scalar } from "./FrontMatterEdit.ts"

/** A property of front matter as a form shows it. `other` is a value that a form cannot write again as it is. */
export type PropertyField = { readonly name: string } & (
  | { readonly kind: "empty" }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "list"; readonly value: ReadonlyArray<Scalar> }
  | { readonly kind: "text" | "number" | "date" | "other"; readonly value: string }
)

/** Numbers that stay as they are when a program reads and writes them. */
const plainNumber = /^-?(?=[\d.]{1,16}$)\d{1,15}(?:\.\d+)?$/

type ScalarField = { readonly kind: "text" | "number" | "date" | "other"; readonly value: string }

const textOf = (value: string): ScalarField => {
  if (value.includes("\n")) return { kind: "other", value }
  return { kind: /^\d{4}-\d\d-\d\d$/.test(value) && isCalendarDate(value) ? "date" : "text", value }
}

/** The items of a list; undefined if it has others than texts, booleans and plain numbers, or comments. */
const itemsOf = (items: ReadonlyArray<unknown>, written: string): ReadonlyArray<Scalar> | undefined => {
  const values = items.flatMap((item): ReadonlyArray<Scalar> => {
    if (!isScalar(item) || item.anchor !== undefined || item.comment || item.commentBefore) return []
    const { source, value } = item
    if (typeof value === "number") return String(value) === source ? [value] : []
    return typeof value === "boolean" || (typeof value === "string" && !value.includes("\n")) ? [value] : []
  })
  return values.length === items.length && !/^\s*#/m.test(written) ? values : undefined
}

const fieldOf = (node: unknown, yaml: string) => {
  const range = (node as Node | null)?.range
  const written = range ? yaml.slice(range[0], range[1]) : ""
  if (isSeq(node)) {
    const value = itemsOf(node.items, written)
    if (value !== undefined) return { kind: "list" as const, value }
  }
  if (isScalar(node) && node.anchor === undefined) {
    const { source, value } = node
    if (value === null) return { kind: "empty" as const }
    if (typeof value === "boolean") return { kind: "boolean" as const, value }
    if (typeof value === "string") return textOf(value)
    if (plainNumber.test(source ?? "")) return { kind: "number" as const, value: source! }
  }
  return { kind: "other" as const, value: written.trim() }
}

/** The properties of front matter in YAML, in its order; undefined if it is not valid, or no map of properties. */
export const fieldsOf = (yaml: string): ReadonlyArray<PropertyField> | undefined => {
  try {
    return propertiesOf(yaml)?.pairs.flatMap(({ key, value }) =>
      isScalar(key) ? [{ name: String(key.value), ...fieldOf(value, yaml) }] : []
    )
  } catch {
    // The YAML parser fails on thousands of nested brackets.
    return undefined
  }
}

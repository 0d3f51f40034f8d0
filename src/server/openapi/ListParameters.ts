import { anyProperty, propertyPrefix } from "../../../services/lists/Filter.ts"

/** The parameters `sort` and `filter`, which differ from list to list (contract 3). */

type Json = Record<string, any>

/** The description of the fields of properties, for a list that has them. */
const ofProperties = (fields: ReadonlyArray<string>, name: "sort" | "filter"): string => {
  if (!fields.includes(anyProperty)) return ""
  const text = ` \`${anyProperty}\` is any property in the front matter of notes, `
  return name === "sort"
    ? `${text}such as \`-properties.due\`: notes without it come last.`
    : `${text}such as \`properties.status = "open" AND properties."due date" < 2026-12-01\`: its name in any case, in quotes if it has spaces or signs. A bare number, date, \`true\` or \`false\` is compared with values of that type, other values with texts in any case.`
}

/** A field of a sort, with \`-\` for descending order. */
const sortItem = (fields: ReadonlyArray<string>): object => {
  const named = fields.filter((field) => field !== anyProperty).flatMap((field) => [field, `-${field}`])
  const item = { type: "string", enum: named }
  return fields.includes(anyProperty)
    ? { anyOf: [item, { type: "string", pattern: `^-?${propertyPrefix.replace(".", "\\.")}.+` }] }
    : item
}

/** Examples of filters, by a field of the list. */
const filterExamples: Readonly<Record<string, string>> = {
  title: "title:meeting AND pinned=true",
  outcome: "outcome=kept",
  due: "done=false AND due<2026-12-01",
  broken: "broken=true"
}

/** All other lists can be filtered by a time. */
const filterExample = (fields: ReadonlyArray<string>): string => {
  const time = fields.find((field) => field in filterExamples || field.endsWith("_at"))
  if (time === undefined) throw new Error(`a list needs a time among the fields of its filter: ${fields.join(", ")}`)
  return filterExamples[time] ?? `${time}>2026-01-01`
}

/** The parameter `sort` or `filter` of a list with these fields. */
export const fieldsParameter = (name: "sort" | "filter", fields: ReadonlyArray<string> | undefined): Json => {
  if (fields === undefined) {
    return { name, in: "query", required: false, description: "Accepted and ignored.", schema: { type: "string" } }
  }
  const plain = fields.map((field) => field.replace("-", ""))
  const named = plain.map((field) => `\`${field}\``).join(", ")
  return name === "sort"
    ? {
        name,
        in: "query",
        required: false,
        description: `One or several fields separated by commas, with \`-\` before a field for descending order: ${named}. Ties are broken by \`id\`.${ofProperties(plain, "sort")}`,
        // In the URL this is one text: `sort=-updated_at,title`.
        style: "form",
        explode: false,
        schema: {
          type: "array",
          items: sortItem(plain),
          default: [fields[0]],
          ...(plain.includes(anyProperty) ? { "x-fields": plain } : {})
        }
      }
    : {
        name,
        in: "query",
        required: false,
        description: `An expression such as \`${filterExample(plain)}\` over ${named}.${ofProperties(plain, "filter")}`,
        schema: { type: "string", maxLength: 4096, "x-fields": plain }
      }
}

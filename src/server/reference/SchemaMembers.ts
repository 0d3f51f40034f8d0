import { escapeHtml } from "../EscapeHtml.ts"
import type { Json } from "./Description.ts"
import { inline, paragraphs } from "./GuideMarkdown.ts"
import type { PageUrls } from "./PageUrls.ts"
import type { SchemaShape, SchemaShapes } from "./SchemaShape.ts"
import { schemaId } from "./SchemaSites.ts"
import type { TypeText } from "./TypeText.ts"

/** A member of an object, or of a nested object without a schema name, by its path. */
export interface Member {
  readonly id: string
  readonly path: string
  readonly schema: Json
  readonly isRequired: boolean
}

/** A variant of a value. */
interface Variant {
  /** Its constant members, such as `type` is `note`. */
  readonly label: string
  readonly ref: string | undefined
  readonly description: string | undefined
  /** Members that not all variants share; undefined if the variant is shown elsewhere. */
  readonly members: Members | undefined
}

export interface Members {
  /** Members of all variants. */
  readonly common: ReadonlyArray<Member>
  readonly variants: ReadonlyArray<Variant>
}

/** Returns all members, including those of variants. */
export const allOf = ({ common, variants }: Members): ReadonlyArray<Member> => [
  ...common,
  ...variants.flatMap(({ members }) => (members === undefined ? [] : allOf(members)))
]

const some = (shape: SchemaShape, isTaken: (name: string) => boolean): SchemaShape => ({
  ...shape,
  properties: new Map([...shape.properties].filter(([name]) => isTaken(name)))
})

/** Reads and shows the members of schemas. The id of a member, for links, starts with the id of its owner. */
export class MemberReader {
  readonly #types: TypeText
  readonly #places: PageUrls

  constructor(types: TypeText, places: PageUrls) {
    this.#types = types
    this.#places = places
  }

  of(owner: string, schema: Json): Members {
    const ids = new Set<string>()
    const { shapes } = this.#types
    const idOf = (path: string): string => {
      const wanted = `${owner}.${path.replaceAll("[]", "")}`
      let id = wanted
      for (let number = 2; ids.has(id); number++) id = `${wanted}.${number}`
      ids.add(id)
      return id
    }

    const within = (shape: SchemaShape, path: string): ReadonlyArray<Member> =>
      [...shape.properties].flatMap(([name, schema]) => [
        { id: idOf(path + name), path: path + name, schema, isRequired: shape.required.has(name) },
        ...below(schema, path + name)
      ])

    /** Named schemas are not included, because they have their own article. */
    const below = (schema: Json, path: string): ReadonlyArray<Member> => {
      const shape = shapes.of(schema)
      if (shape.ref !== undefined) return []
      return [
        ...within(shape, `${path}.`),
        ...(shape.items === undefined ? [] : below(shape.items, `${path}[]`)),
        ...shape.unions.flat().flatMap((each) => below(each, path))
      ]
    }

    const read = (shape: SchemaShape): Members => {
      const branches = shape.unions.flat()
      const forms = branches.map((branch) => shapes.opened(branch))
      const refs = branches.map((branch) => shapes.of(branch).ref)
      const isHere = refs.map((ref) => ref === undefined || this.#places.isBranch(ref))
      const shared = forms.length > 1 && isHere.every((each) => each) ? sharedBy(forms) : []
      const labels = labelsOf(forms, shapes)
      return {
        common: [
          ...within(shape, ""),
          ...(shared.length === 0
            ? []
            : within(
                some(forms[0]!, (name) => shared.includes(name)),
                ""
              ))
        ],
        variants: forms.map((form, index) => ({
          label: labels[index]!,
          ref: refs[index],
          description: isHere[index] ? form.keywords["description"] : undefined,
          members: isHere[index] ? read(some(form, (name) => !shared.includes(name))) : undefined
        }))
      }
    }
    return read(shapes.opened(schema))
  }

  #row({ id, isRequired, path, schema }: Member, isSent: boolean): string {
    // Requests show which members are required, responses which may be absent.
    const need = isSent === isRequired ? ` <span class="need">${isSent ? "required" : "may be absent"}</span>` : ""
    const rules = this.#types.rules(schema).map((rule) => `<li>${rule}</li>`)
    const { description } = this.#types.shapes.of(schema).keywords
    return `<div id="${id}"><dt><a href="#${id}"><code>${escapeHtml(path)}</code></a> <span class="type">${this.#types.of(schema)}</span>${need}</dt><dd>${inline(
      description
    )}${rules.length === 0 ? "" : `<ul class="rules">${rules.join("")}</ul>`}</dd></div>`
  }

  list(members: ReadonlyArray<Member>, { isSent }: { readonly isSent: boolean }): string {
    return members.length === 0
      ? ""
      : `<dl class="members">${members.map((each) => this.#row(each, isSent)).join("")}</dl>`
  }

  /** All members, those of a variant under its label. */
  html({ common, variants }: Members, direction: { readonly isSent: boolean }): string {
    const forms = variants.map(({ description, label, members, ref }) => {
      if (members === undefined) return `<p class="variant">${label}: ${this.#types.link(ref!)}</p>`
      const [id, name] = ref === undefined ? ["", ""] : [` id="${schemaId(ref)}"`, `: ${escapeHtml(ref)}`]
      return `<details open class="variant"${id}><summary>${label}${name}</summary>${paragraphs(description)}${this.html(members, direction)}</details>`
    })
    const title = common.length === 0 ? "One of these forms:" : "And one of these forms:"
    return this.list(common, direction) + (forms.length === 0 ? "" : `<p>${title}</p>${forms.join("")}`)
  }
}

/** Returns the names of members that are equal in all variants. */
const sharedBy = (forms: ReadonlyArray<SchemaShape>): ReadonlyArray<string> => {
  const memberText = (form: SchemaShape, name: string) =>
    JSON.stringify([form.properties.get(name), form.required.has(name)])
  return [...forms[0]!.properties.keys()].filter((name) =>
    forms.every((form) => form.properties.has(name) && memberText(form, name) === memberText(forms[0]!, name))
  )
}

/** Returns the members with only one possible value; for a union, those that have it in all branches. */
const constantsOf = (shape: SchemaShape, shapes: SchemaShapes): ReadonlyMap<string, unknown> => {
  const own = [...shape.properties].flatMap(([name, schema]) => {
    const { values } = shapes.of(schema)
    return values?.length === 1 ? [[name, values[0]] as const] : []
  })
  const ofUnions = shape.unions.flatMap((branches) => {
    const [first, ...others] = branches.map((branch) => constantsOf(shapes.opened(branch), shapes))
    return [...(first ?? [])].filter(([name, value]) => others.every((each) => each.get(name) === value))
  })
  return new Map([...own, ...ofUnions])
}

/** Returns a label for each variant: its constant members whose values are not the same in all variants. */
const labelsOf = (forms: ReadonlyArray<SchemaShape>, shapes: SchemaShapes): ReadonlyArray<string> => {
  const constants = forms.map((form) => constantsOf(form, shapes))
  const differs = (name: string) => new Set(constants.map((each) => each.get(name))).size > 1
  return constants.map((each, index) => {
    const labels = [...each]
      .filter(([name]) => differs(name))
      .map(([name, value]) => `<code>${escapeHtml(name)}</code> is <code>${escapeHtml(String(value))}</code>`)
    return labels.length > 0 ? labels.join(", ") : escapeHtml(forms[index]!.keywords["title"] ?? `form ${index + 1}`)
  })
}

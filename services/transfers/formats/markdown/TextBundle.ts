import { stringify } from "yaml"
import { valueOf } from "../JsonMembers.ts"
import { folderOf, junk } from "../Paths.ts"
import { stemOf } from "../ItemNames.ts"

/** Bundles of a text and its files (textbundle.org), packed or not, as Bear and other editors on macOS write them. */

const ending = String.raw`\.(?:textbundle|textpack|bearnote)`
const textPath = new RegExp(String.raw`^((.+)${ending})/text\.(?:md|markdown|txt)$`, "i")
const infoPath = new RegExp(String.raw`^(.+${ending})/info\.json$`, "i")
const packPath = /\.(?:textpack|bearnote)$/i

/** The folder of the bundle whose text is at this path, and the bundle's name with its folders. */
export const bundleOf = (path: string): { readonly folder: string; readonly name: string } | undefined => {
  const [, folder, name] = textPath.exec(path) ?? []
  return folder === undefined || name === undefined ? undefined : { folder, name }
}

/** The folder of the bundle whose description is at this path. */
export const describedBundle = (path: string): string | undefined => infoPath.exec(path)?.[1]

const inBundle = new RegExp(String.raw`^(.+?${ending})/`, "i")
/** The folder of the bundle that contains a file; empty outside of bundles. */
export const bundleFolder = (path: string): string => inBundle.exec(path)?.[1] ?? ""

/** Whether it is a packed bundle. */
export const isPack = (path: string): boolean => packPath.test(path) && !junk.test(path)

/** The path of a file of a packed bundle, as if the bundle were a folder next to the others. */
export const pathInBundle = (pack: string, path: string): string => {
  const folder = folderOf(pack)
  if (new RegExp(String.raw`^[^/]+${ending}/`, "i").test(path)) return folder === "" ? path : `${folder}/${path}`
  return `${stemOf(pack)}.textbundle/${path}`
}

/** Members that describe the file, not the note. */
const ofTheFormat = new Set(["version", "type", "transient", "creatorIdentifier", "creatorURL", "flatExtension"])
/** Members that a note has too, with their names in front matter. */
const called: Readonly<Record<string, string>> = {
  creationDate: "created",
  created: "created",
  modificationDate: "updated",
  modified: "updated",
  tags: "tags"
}
const states = ["archived", "pinned", "trashed"] as const

export interface Info {
  /** Lines of YAML: dates, tags, and all other members. */
  readonly properties: string
  readonly archived: boolean
  readonly pinned: boolean
  readonly trashed: boolean
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The metadata in the `info.json` of a bundle; throws `Damaged` for invalid JSON. */
export const infoOf = (json: string): Info => {
  const found = valueOf(json)
  const { "net.shinyfrog.bear": bear, ...others } = isObject(found) ? found : {}
  const said = { ...others, ...(isObject(bear) ? bear : {}) }
  const isSo = (state: (typeof states)[number]) => said[state] === 1 || said[state] === true
  const properties = Object.entries(said).flatMap(([name, value]) => {
    const isEmpty = value === null || value === "" || value === 0 || value === false
    if (isEmpty || ofTheFormat.has(name) || states.some((state) => state === name)) return []
    return [[Object.hasOwn(called, name) ? called[name]! : name, value]]
  })
  return {
    properties: properties.length === 0 ? "" : stringify(Object.fromEntries(properties), { lineWidth: 0 }),
    archived: isSo("archived"),
    pinned: isSo("pinned"),
    trashed: isSo("trashed")
  }
}

import { open, route } from "../Navigation.ts"

const keyOf = (name: string): string => name.normalize("NFC").toLowerCase()

/** Opens the list of a tag under its new name, or all notes if the tag was deleted, while its list is open. */
export const followTag = (from: string, to: string | undefined): void => {
  const { filter, note } = route.value
  if (filter.kind !== "tag" || filter.name === to || keyOf(filter.name) !== keyOf(from)) return
  open(to === undefined ? { kind: "all" } : { kind: "tag", name: to }, note, { replace: true })
}

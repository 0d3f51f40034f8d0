import { signal } from "@preact/signals"
import type { NotebookIcon } from "./icons/NotebookIcons.ts"
import { sharedIcons } from "./icons/SharedIcons.ts"

/** Paths of icons in a square of 24, drawn with lines. */
const paths = {
  ...sharedIcons,
  all: "M5 4h11l3 3v13H5zM9 10h6M9 14h6",
  attach: sharedIcons.paperclip,
  back: "M15 5l-7 7 7 7",
  chevron: "M9 6l6 6-6 6",
  close: "M6 6l12 12M18 6L6 18",
  comment: sharedIcons.chat,
  edit: sharedIcons.pen,
  menu: "M4 7h16M4 12h16M4 17h16",
  more: "M5 12a1 1 0 1 0 .01 0M12 12a1 1 0 1 0 .01 0M19 12a1 1 0 1 0 .01 0",
  plus: "M12 5v14M5 12h14",
  search: "M10.5 5a5.5 5.5 0 1 0 .01 0M14.6 14.6L20 20",
  share: "M12 15V4M8 7.5L12 4l4 3.5M6 12v8h12v-8",
  template: "M4 4h16v5H4zM4 13h7v7H4zM15 13h5v7h-5z",
  trash: "M5 7h14M9 7V4.5h6V7M7 7l1 13h8l1-13"
} as const

export type IconName = keyof typeof paths | NotebookIcon

/** Paths of all icons of notebooks. The first page has few of them: the others come with the palette. */
export const notebookIcons = signal<Partial<Record<NotebookIcon, string>>>({})

const pathOf = (name: IconName): string | undefined => {
  const all: Partial<Record<IconName, string>> = { ...notebookIcons.value, ...paths }
  return all[name]
}

/** A decoration: the element around it has the name. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={pathOf(name)} />
  </svg>
)

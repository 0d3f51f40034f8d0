import type { IconName } from "../ui/Icon.tsx"
import type { Matched } from "./Matching.ts"

/** What is done by the palette, and by a menu. */
export interface Command {
  readonly title: string
  /** A shorter title, where a menu says what it is about. */
  readonly label?: string
  readonly aliases?: string
  readonly icon: IconName
  readonly shortcut?: string
  readonly isDanger?: boolean
  readonly run: () => void
}

/** An entry of the palette. */
export interface Entry extends Matched {
  /** Different for each entry of the palette. */
  readonly key: string
  /** In an outline, the depth of the headings takes its place. */
  readonly icon?: IconName
  /** The place of it, shown at the right. */
  readonly detail?: string | undefined
  /** A key of the keyboard that does the same. */
  readonly shortcut?: string | undefined
  /** A part of the text, shown below, as escaped HTML with `<mark>`. */
  readonly snippet?: string | undefined
  /** The level of a heading in an outline, counted from 0. */
  readonly depth?: number
  readonly run: () => unknown
}

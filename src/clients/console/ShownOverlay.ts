import { signal } from "@preact/signals"
import { choose, chosen } from "./DeviceSettings.ts"

/** What is shown over each page: the palette with all or with the headings of the open note, or the list of keys. */
export type Overlay = "palette" | "outline" | "keys"

export const overlay = signal<Overlay | undefined>(undefined)

/** What is typed while the palette is loaded: its first query. */
export const typedAhead = { text: "" }

/** Whether single keys, such as `n`, do something. A person who dictates switches them off (WCAG 2.1.4). */
export const hasSingleKeys = signal(chosen("single keys") !== false)

export const chooseSingleKeys = (isOn: boolean): void => {
  hasSingleKeys.value = isOn
  choose("single keys", isOn)
}

import { type Signal, signal } from "@preact/signals"

/** Choices of this device, which stay when the page is closed, and say nothing about the content of notes. */
const placeOf = (name: string): string => `sheaf ${name}`

/** Returns what was chosen last; undefined if nothing was, or the browser refuses the storage. */
export const chosen = (name: string): unknown => {
  try {
    return JSON.parse(localStorage.getItem(placeOf(name)) ?? "null") ?? undefined
  } catch (error) {
    console.warn(error)
    return undefined
  }
}

export const choose = (name: string, value: unknown): void => {
  try {
    localStorage.setItem(placeOf(name), JSON.stringify(value))
  } catch (error) {
    // The choice then holds until the page is closed.
    console.warn(error)
  }
}

/** What a user chooses about the look of the console on a device. The first value of each is the one without a choice. */
export const appearances = {
  theme: ["system", "light", "dark"],
  size: ["normal", "small", "large", "larger"],
  width: ["normal", "wide"]
} as const
export type Appearance = keyof typeof appearances
export type Look<Name extends Appearance> = (typeof appearances)[Name][number]

/** What is chosen. The style sheets read it from attributes of the page. */
const chosenLook = <Name extends Appearance>(name: Name): Signal<Look<Name>> => {
  const values: ReadonlyArray<Look<Name>> = appearances[name]
  const kept = chosen(name)
  const look = signal(values.find((value) => value === kept) ?? values[0]!)
  look.subscribe((value) => (document.documentElement.dataset[name] = value))
  return look
}

export const looks: { readonly [Name in Appearance]: Signal<Look<Name>> } = {
  theme: chosenLook("theme"),
  size: chosenLook("size"),
  width: chosenLook("width")
}

export const chooseLook = <Name extends Appearance>(name: Name, value: Look<Name>): void => {
  looks[name].value = value
  choose(name, value)
}

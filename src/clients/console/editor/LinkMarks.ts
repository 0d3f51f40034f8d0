import { StateEffect, StateField } from "@codemirror/state"

/** The links of a text that lead to no note or may mean several, by their targets as written. */
export type Broken = ReadonlyMap<string, "missing" | "ambiguous">

export const setBroken = StateEffect.define<Broken>()

/** The links of the text that were broken when the server read it last. */
export const brokenLinks = StateField.define<Broken>({
  create: () => new Map(),
  update: (value, { effects }) => effects.find((effect) => effect.is(setBroken))?.value ?? value
})

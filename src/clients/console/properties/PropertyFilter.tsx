import { useId, useState } from "preact/hooks"
import { quoted } from "../notes/NoteFilter.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Form } from "../ui/Form.tsx"
import { messageOf } from "../ui/Notices.tsx"
import { Select } from "../ui/Select.tsx"
import { useReading } from "../ui/useReading.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { filterTexts as texts } from "./PropertyFilterMessages.ts"
import { type NamedProperty, readPropertyNames } from "./PropertyNames.ts"

interface PropertyFilterProps {
  readonly store: WorkspaceStore
  /** Receives a condition in the language of filters. */
  readonly onFilter: (condition: string) => void
  readonly onClose: () => void
}

interface Comparison {
  readonly label: string
  /** The type of the value that is typed; undefined if there is none. */
  readonly type: "text" | "number" | "date" | undefined
  readonly conditionOf: (value: string) => string
}

const words = texts.comparisons
const withValue = (label: string, type: Comparison["type"], operator: string): Comparison => ({
  label,
  type,
  conditionOf: (value) => `${operator}${type === "text" ? quoted(value) : value}`
})
const alone = (label: string, condition: string): Comparison => ({
  label,
  type: undefined,
  conditionOf: () => condition
})

/** The comparisons that a type of values has, and those of every one. */
const comparisons: Readonly<Record<NamedProperty["types"][number] | "any", ReadonlyArray<Comparison>>> = {
  text: [withValue(words.is, "text", " = "), withValue(words.contains, "text", ":")],
  number: [withValue("=", "number", " = "), withValue("<", "number", " < "), withValue(">", "number", " > ")],
  date: [
    withValue(words.on, "date", " = "),
    withValue(words.before, "date", " < "),
    withValue(words.after, "date", " > ")
  ],
  boolean: [alone(words.yes, " = true"), alone(words.no, " = false")],
  any: [alone(words.set, ":*"), alone(words.unset, " = null")]
}

/** A name in a filter, in quotes if it has other signs than those of a bare one. */
const written = (name: string): string =>
  /^[a-z_]\w*(?:\.\w+)*$/i.test(name) ? name : `"${name.replaceAll(/["\\]/g, "\\$&")}"`

/** Chooses a property of the notes, a comparison that its values have, and a value. */
export const PropertyFilter = ({ onClose, onFilter, store }: PropertyFilterProps) => {
  const { failure, value: names } = useReading(() => readPropertyNames(store.client), [store])
  const [chosen, setChosen] = useState<string>()
  const [label, setLabel] = useState<string>()
  const [value, setValue] = useState("")
  const id = useId()
  const named = names?.find(({ name }) => name === chosen) ?? names?.[0]
  const offered = [...(named?.types ?? []), "any" as const].flatMap((type) => comparisons[type])
  const comparison = offered.find((each) => each.label === label) ?? offered[0]!
  const input = {
    id,
    required: true,
    value,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => setValue(currentTarget.value)
  }
  return (
    <Dialog title={texts.title} onClose={onClose}>
      {failure !== undefined && <p role="alert">{messageOf(failure)}</p>}
      {names?.length === 0 && <p>{texts.none}</p>}
      {named !== undefined && (
        <Form
          onSubmit={() => {
            onFilter(`properties.${written(named.name)}${comparison.conditionOf(value)}`)
            onClose()
          }}
        >
          <Select
            label={texts.property}
            value={named.name}
            options={names!.map(({ name }) => [name, name])}
            onValue={(name) => {
              setChosen(name)
              setValue("")
            }}
          />
          <Select
            label={texts.comparison}
            value={comparison.label}
            options={offered.map(({ label }) => [label, label])}
            onValue={setLabel}
          />
          {comparison.type !== undefined && (
            <div class="field">
              <label for={id}>{texts.value}</label>
              {comparison.type === "text" ? (
                <input {...input} maxLength={200} />
              ) : (
                <input {...input} type={comparison.type} step="any" />
              )}
            </div>
          )}
          <footer class="actions">
            <Button type="submit" kind="main">
              {texts.apply}
            </Button>
          </footer>
        </Form>
      )}
    </Dialog>
  )
}

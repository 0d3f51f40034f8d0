import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../ui/Button.tsx"
import { Field } from "../ui/Field.tsx"
import { Form } from "../ui/Form.tsx"
import { Select } from "../ui/Select.tsx"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./ServerMessages.ts"

/** Words in the filter language of the API. */
const termsOf = (words: string): ReadonlyArray<string> =>
  words
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => `"${word.replaceAll(/["\\]/g, "\\$&")}"`)

interface ListFilterProps {
  /** The members in which words are searched; without them there is only a choice. */
  readonly searched?: string
  /** Conditions in the filter language of the API, empty for all rows. */
  readonly options: ReadonlyArray<readonly [condition: string, label: string]>
  /** Further buttons. */
  readonly children?: ComponentChildren
  /** Gets the filter of the list; undefined for all rows. */
  readonly onFilter: (filter: string | undefined) => void
}

/** Filters a list by words and by its state. */
export const ListFilter = ({ children, onFilter, options, searched }: ListFilterProps) => {
  const [text, setText] = useState("")
  const [condition, setCondition] = useState("")
  const apply = (condition: string) => {
    const terms = [...(condition === "" ? [] : [condition]), ...termsOf(text)]
    onFilter(terms.length === 0 ? undefined : terms.join(" AND "))
  }
  return (
    <Form class="filters" onSubmit={() => apply(condition)}>
      {searched !== undefined && (
        <Field label={searched} autocomplete="off" value={text} maxLength={200} onValue={setText} />
      )}
      <Select
        label={words.show}
        options={options}
        value={condition}
        onValue={(chosen) => {
          setCondition(chosen)
          apply(chosen)
        }}
      />
      <p class="actions start">
        {searched !== undefined && (
          <Button kind="main" type="submit">
            {texts.search}
          </Button>
        )}
        {children}
      </p>
    </Form>
  )
}

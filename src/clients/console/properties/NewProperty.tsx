import { useEffect, useId, useRef, useState } from "preact/hooks"
import { Button } from "../ui/Button.tsx"
import { Form } from "../ui/Form.tsx"
import type { PropertyKind } from "./PropertyInput.tsx"
import { propertyTexts as texts } from "./PropertyMessages.ts"
import type { NamedProperty } from "./PropertyNames.ts"

interface NewPropertyProps {
  /** The properties of other notes, which complete what is typed. */
  readonly names: ReadonlyArray<NamedProperty>
  readonly onAdd: (name: string, kind: PropertyKind) => void
  readonly onClose: () => void
}

const kinds = Object.keys(texts.kinds) as ReadonlyArray<PropertyKind>

/** The name and the kind of a property that is added. */
export const NewProperty = ({ names, onAdd, onClose }: NewPropertyProps) => {
  const [name, setName] = useState("")
  const [chosen, setChosen] = useState<PropertyKind>()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  const kind = chosen ?? names.find((known) => known.name === name.trim())?.types[0] ?? "text"
  return (
    <Form class="property-new" onSubmit={() => name.trim() !== "" && onAdd(name.trim(), kind)}>
      <input
        ref={input}
        class="property-input"
        dir="auto"
        aria-label={texts.name}
        placeholder={texts.name}
        list={id}
        maxLength={100}
        value={name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
        onKeyDown={({ key }) => key === "Escape" && onClose()}
      />
      <datalist id={id}>
        {names.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <select
        class="property-input"
        aria-label={texts.kind}
        value={kind}
        onChange={({ currentTarget }) => setChosen(kinds[currentTarget.selectedIndex])}
      >
        {kinds.map((each) => (
          <option key={each} value={each}>
            {texts.kinds[each]}
          </option>
        ))}
      </select>
      <Button type="submit">{texts.add}</Button>
    </Form>
  )
}

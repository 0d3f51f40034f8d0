import { useRef, useState } from "preact/hooks"
import type { Scalar } from "../../../../services/notes/texts/FrontMatterEdit.ts"
import { texts as all } from "../Messages.ts"
import { IconButton } from "../ui/Button.tsx"
import { propertyTexts as texts } from "./PropertyMessages.ts"

export type PropertyKind = keyof typeof texts.kinds

/** Maximum characters of a value, and the largest number that a program reads and writes as it is. */
const longest = 10_000
const largest = 999_999_999_999_999

interface PropertyInputProps {
  readonly name: string
  readonly kind: PropertyKind
  readonly value: Scalar | ReadonlyArray<Scalar>
  /** Changes the value. Returns false if that is not possible. */
  readonly onValue: (value: Scalar | ReadonlyArray<Scalar>, isTyping: boolean) => boolean
}

/** The items of a list, each with a button that removes it, and a field for more of them. */
const ListInput = ({ name, onValue, value }: PropertyInputProps) => {
  const [typed, setTyped] = useState("")
  const input = useRef<HTMLInputElement>(null)
  const items = Array.isArray(value) ? (value as ReadonlyArray<Scalar>) : []
  const add = () => {
    const areNumbers = items.length > 0 && items.every((item) => typeof item === "number")
    const item = typed.trim()
    const isKnown = item === "" || items.some((each) => String(each) === item)
    const added = areNumbers && String(Number(item)) === item ? Number(item) : item
    if (isKnown || onValue([...items, added], false)) setTyped("")
  }
  return (
    <ul class="tags" aria-label={name}>
      {items.map((item, index) => (
        <li key={index} class="tag">
          <span dir="auto">{String(item)}</span>
          <IconButton
            icon="close"
            label={all.note.removeTag(String(item))}
            onClick={() => {
              onValue(items.toSpliced(index, 1), false)
              input.current?.focus()
            }}
          />
        </li>
      ))}
      <li>
        <input
          ref={input}
          class="tag-input"
          aria-label={`${name}: ${texts.addItem}`}
          placeholder={texts.addItem}
          maxLength={longest}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          onBlur={add}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.isComposing) return
            event.preventDefault()
            add()
          }}
        />
      </li>
    </ul>
  )
}

/** A field for the value of a property. Each change of it is one of the text. */
export const PropertyInput = (props: PropertyInputProps) => {
  const { kind, name, onValue, value } = props
  const input = useRef<HTMLInputElement>(null)
  if (kind === "list") return <ListInput {...props} />
  if (kind === "boolean") {
    return (
      <input
        type="checkbox"
        aria-label={name}
        checked={value === true}
        onChange={({ currentTarget }) => {
          if (!onValue(currentTarget.checked, false)) currentTarget.checked = value === true
        }}
      />
    )
  }
  const written = String(value)
  if (kind === "text") {
    return (
      <textarea
        class="property-input"
        dir="auto"
        rows={1}
        aria-label={name}
        placeholder="–"
        maxLength={longest}
        value={written}
        onKeyDown={(event) => event.key === "Enter" && !event.isComposing && event.preventDefault()}
        onInput={({ currentTarget }) => {
          // A text of several lines has another form in YAML.
          if (!onValue(currentTarget.value.replaceAll(/\s*\n\s*/g, " "), true)) currentTarget.value = written
        }}
      />
    )
  }
  const typed = input.current?.value ?? ""
  /** What is typed stays as it is while it is the same number, such as `1.0` on the way to `1.05`. */
  const isSame = kind === "number" && typed !== "" && written !== "" && Number(typed) === Number(written)
  return (
    <input
      ref={input}
      class="property-input"
      type={kind}
      step="any"
      {...(kind === "number" ? { min: -largest, max: largest } : {})}
      aria-label={name}
      value={isSame ? typed : written}
      onInput={({ currentTarget }) => {
        const { validity, value: now } = currentTarget
        if (!validity.valid) return
        if (!onValue(kind === "number" && now !== "" ? Number(now) : now, true)) currentTarget.value = written
      }}
      onBlur={({ currentTarget }) => {
        if (!currentTarget.validity.valid) currentTarget.value = written
      }}
    />
  )
}

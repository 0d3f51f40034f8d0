import { lookTexts } from "./LookMessages.ts"
import { useId } from "preact/hooks"
import { Choice } from "./Choice.tsx"
import { Icon } from "./Icon.tsx"

/** The colours that are offered, as the server stores them. They are visible in both themes. */
const colors = {
  red: "#c8453b",
  orange: "#c9772d",
  yellow: "#b99a1d",
  green: "#3f8f63",
  teal: "#2f9196",
  blue: "#4478bd",
  violet: "#8463bd",
  pink: "#bf5a92",
  brown: "#8d6e52",
  grey: "#7d827f"
} as const satisfies Record<keyof typeof lookTexts.colors.names, string>
const names = Object.keys(colors) as ReadonlyArray<keyof typeof colors>

interface ColorFieldProps {
  /** As `#rrggbb`, or null without a colour. */
  readonly value: string | null
  readonly onValue: (value: string | null) => void
}

/** A colour: none, one that is offered, or any other. */
export const ColorField = ({ onValue, value }: ColorFieldProps) => {
  const group = useId()
  const isOther = value !== null && !names.some((name) => colors[name] === value)
  return (
    <fieldset class="choices">
      <legend>{lookTexts.colors.label}</legend>
      <Choice group={group} label={lookTexts.colors.none} isChecked={value === null} onSelect={() => onValue(null)}>
        <Icon name="close" />
      </Choice>
      {names.map((name) => (
        <Choice
          key={name}
          group={group}
          label={lookTexts.colors.names[name]}
          isChecked={value === colors[name]}
          onSelect={() => onValue(colors[name])}
        >
          <span class="swatch" style={{ background: colors[name] }} />
        </Choice>
      ))}
      <label class={`choice ${isOther ? "checked" : ""}`} title={lookTexts.colors.other}>
        <input
          type="color"
          aria-label={lookTexts.colors.other}
          value={value ?? colors.green}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
        {isOther ? <span class="swatch" style={{ background: value }} /> : <Icon name="paint" />}
      </label>
    </fieldset>
  )
}

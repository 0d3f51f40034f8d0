import type { ComponentChildren } from "preact"

interface ChoiceProps {
  /** The name of the group, of which one choice is checked. */
  readonly group: string
  readonly label: string
  readonly isChecked: boolean
  readonly onSelect: () => void
  readonly children: ComponentChildren
}

/** A picture that can be selected: a radio button, so that arrow keys move in the group. */
export const Choice = ({ children, group, isChecked, label, onSelect }: ChoiceProps) => (
  <label class={`choice ${isChecked ? "checked" : ""}`} title={label}>
    <input type="radio" name={group} aria-label={label} checked={isChecked} onChange={onSelect} />
    {children}
  </label>
)

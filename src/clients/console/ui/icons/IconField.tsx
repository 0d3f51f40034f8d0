import { lookTexts } from "../LookMessages.ts"
import { useId } from "preact/hooks"
import { translation } from "../../ChosenLanguage.ts"
import { Choice } from "../Choice.tsx"
import { Icon, notebookIcons } from "../Icon.tsx"
import type { NotebookIcon } from "./NotebookIcons.ts"

const nameOf = (icon: NotebookIcon): string => translation?.icons[icon] ?? icon

interface IconFieldProps {
  readonly value: NotebookIcon | null
  readonly onValue: (value: NotebookIcon | null) => void
}

/** An icon of those that the server has for notebooks, or none. The choices are folded: there are 68. */
export const IconField = ({ onValue, value }: IconFieldProps) => {
  const group = useId()
  const icons = (Object.keys(notebookIcons.value) as ReadonlyArray<NotebookIcon>).toSorted()
  return (
    <details class="field">
      <summary>
        {lookTexts.icons.label}: {value === null ? lookTexts.icons.none : nameOf(value)}
      </summary>
      <fieldset class="choices">
        <legend class="visually-hidden">{lookTexts.icons.label}</legend>
        <Choice group={group} label={lookTexts.icons.none} isChecked={value === null} onSelect={() => onValue(null)}>
          <Icon name="close" />
        </Choice>
        {icons.map((icon) => (
          <Choice
            key={icon}
            group={group}
            label={nameOf(icon)}
            isChecked={value === icon}
            onSelect={() => onValue(icon)}
          >
            <Icon name={icon} />
          </Choice>
        ))}
      </fieldset>
    </details>
  )
}

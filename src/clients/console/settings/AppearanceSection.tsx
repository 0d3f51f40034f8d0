import { type Appearance, appearances, chooseLook, type Look, looks } from "../DeviceSettings.ts"
import { appearanceTexts as texts } from "./AppearanceMessages.ts"
import { Section } from "../ui/Section.tsx"
import { Select } from "../ui/Select.tsx"

const LookChoice = <Name extends Appearance>({ name }: { readonly name: Name }) => {
  const values: ReadonlyArray<Look<Name>> = appearances[name]
  const words: Readonly<Record<string, ReadonlyArray<string>>> = texts[name].values
  return (
    <Select
      label={texts[name].label}
      options={values.map((value) => [value, words[value]![0]!] as const)}
      value={looks[name].value}
      onValue={(value) => chooseLook(name, value)}
    />
  )
}

/** How the console looks on this device. */
export const AppearanceSection = () => (
  <Section title={texts.title} lead={texts.lead}>
    <div class="form">
      <LookChoice name="theme" />
      <LookChoice name="size" />
      <LookChoice name="width" />
    </div>
  </Section>
)

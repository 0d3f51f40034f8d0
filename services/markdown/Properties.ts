export interface PropertyValue {
  readonly type: "text" | "number" | "date" | "boolean"
  readonly text: string
  readonly key: string
}
export interface Property {
  readonly name: string
  readonly values: ReadonlyArray<PropertyValue>
  readonly isList: boolean
}
export const propertiesOf = (_: string): ReadonlyArray<Property> => []

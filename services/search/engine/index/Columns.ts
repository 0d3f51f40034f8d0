/** A column of numbers. */
export type Column =
  | Float64Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>

/** Minimum factor by which a full column grows. */
const GROWTH = 1.2

/** Returns a column with room for at least `size` numbers: the same one if it has the room, else a larger copy. */
export const grown = <C extends Column>(column: C, size: number): C => {
  if (size <= column.length) return column
  const larger = new (column.constructor as new (size: number) => C)(Math.ceil(Math.max(size, column.length * GROWTH)))
  larger.set(column)
  return larger
}

/** Like `grown`, for columns of one length. */
export const allGrown = <C extends Readonly<Record<string, Column>>>(columns: C, size: number): C =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, grown(column, size)])) as C

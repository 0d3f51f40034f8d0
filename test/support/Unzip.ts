import { fromBuffer, type Entry } from "yauzl"

/** The contents of a ZIP by path, as an independent library reads them; it checks names, sizes and checksums. */
export interface Unzipped {
  readonly files: ReadonlyMap<string, Buffer>
  readonly entries: ReadonlyArray<Entry>
}

/** Reads all entries, and the contents of the files that `isRead` accepts. */
export const unzip = (zip: Buffer, isRead: (entry: Entry) => boolean = () => true): Promise<Unzipped> =>
  new Promise((resolve, reject) => {
    fromBuffer(zip, { lazyEntries: true, validateEntrySizes: true, strictFileNames: true }, (error, file) => {
      if (error !== null) return reject(error)
      const files = new Map<string, Buffer>()
      const entries: Array<Entry> = []
      file.on("error", reject)
      file.on("end", () => resolve({ files, entries }))
      file.on("entry", (entry: Entry) => {
        if (!isRead(entry)) {
          entries.push(entry)
          return file.readEntry()
        }
        file.openReadStream(entry, (failed, stream) => {
          if (failed !== null) return reject(failed)
          const pieces: Array<Buffer> = []
          stream.on("error", reject)
          stream.on("data", (piece: Buffer) => pieces.push(piece))
          stream.on("end", () => {
            if (files.has(entry.fileName)) return reject(new Error(`${entry.fileName} is a duplicate`))
            files.set(entry.fileName, Buffer.concat(pieces))
            entries.push(entry)
            file.readEntry()
          })
        })
      })
      file.readEntry()
    })
  })

import { autoFormats, type Formats } from '@kith/contract/app/formats'
import { createStore, useStore } from '../store.ts'

/** The formats that the user has chosen. */
const chosen = createStore(autoFormats)

/** Called with the formats of the account. The screen is drawn again if they changed. */
export function setFormats(formats: Formats): void {
  if (JSON.stringify(formats) !== JSON.stringify(chosen.get())) chosen.set(formats)
}

/** Renders again when the formats change. */
export function useFormats(): Formats {
  return useStore(chosen)
}

/** Formatters are slow to make and fast to use. Each is made once for each choice of formats. */
export function made<Formatter>(make: (formats: Formats) => Formatter): () => Formatter {
  let known: { formats: Formats; formatter: Formatter } | undefined
  return () => {
    const formats = chosen.get()
    if (known?.formats !== formats) known = { formats, formatter: make(formats) }
    return known.formatter
  }
}

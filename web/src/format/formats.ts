import { autoFormats, type Formats } from '@kith/contract/app/formats'

let chosen = autoFormats

/** Called with what the account says. */
export function setFormats(formats: Formats): void {
  if (JSON.stringify(formats) === JSON.stringify(chosen)) return
  chosen = formats
}

/** Formatters are slow to make and fast to use. Each is made once for each choice of formats. */
export function made<Formatter>(make: (formats: Formats) => Formatter): () => Formatter {
  let known: { formats: Formats; formatter: Formatter } | undefined
  return () => {
    if (known?.formats !== chosen) known = { formats: chosen, formatter: make(chosen) }
    return known.formatter
  }
}

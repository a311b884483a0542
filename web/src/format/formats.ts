import { autoFormats, type Formats } from '@kith/contract/app/formats'
import { useSyncExternalStore } from 'react'

let chosen = autoFormats
const listeners = new Set<() => void>()

/** The formats that the user has chosen. */
function currentFormats(): Formats {
  return chosen
}

/** Called with what the account says. What is on the screen is drawn again if something changed. */
export function setFormats(formats: Formats): void {
  if (JSON.stringify(formats) === JSON.stringify(chosen)) return
  chosen = formats
  for (const listener of listeners) listener()
}

/** Renders again when the formats change. */
export function useFormats(): Formats {
  return useSyncExternalStore(listen, currentFormats)
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Formatters are slow to make and fast to use. Each is made once for each choice of formats. */
export function made<Formatter>(make: (formats: Formats) => Formatter): () => Formatter {
  let known: { formats: Formats; formatter: Formatter } | undefined
  return () => {
    if (known?.formats !== chosen) known = { formats: chosen, formatter: make(chosen) }
    return known.formatter
  }
}

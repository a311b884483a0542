import { Suspense, useEffect, useState } from 'react'
import { chunk } from '../../components/chunk.tsx'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { onOpenPalette } from '../../shell/open-palette.ts'
import type { NewRecord } from './new-entries.ts'

// Both are loaded on first use.
const Palette = chunk(async () => (await import('./palette.tsx')).Palette)
const DraftDialog = chunk(async () => (await import('../../drafts/draft-dialog.tsx')).DraftDialog)

/** Where the palette appears, over any screen, and the new record that is created from it. */
export function PalettePlace() {
  const [open, setOpen] = useState(false)
  const [creating, setCreating] = useState<NewRecord>()
  useEffect(() => onOpenPalette(() => setOpen(true)), [])
  useShortcut('Mod+k', 'Search everything', () => setOpen((shown) => !shown))
  return (
    <Suspense>
      {open && <Palette onClose={() => setOpen(false)} onCreate={setCreating} />}
      {creating && <DraftDialog {...creating} onClose={() => setCreating(undefined)} />}
    </Suspense>
  )
}

import { Download } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { DialogActions } from '../../../components/dialog.tsx'

type Props = { codes: readonly string[]; onDone(): void }

/** Shown once. Each of them signs in one time in place of a code. */
export function RecoveryCodes({ codes, onDone }: Props) {
  const text = codes.join('\n')
  return (
    <>
      <p className="text-sm text-quiet">
        If you lose your phone, each of these codes signs you in once. They are not shown again: keep them where you
        keep passwords.
      </p>
      <ul
        aria-label="Recovery codes"
        className="mt-4 grid grid-cols-2 gap-x-6 gap-y-1.5 rounded-md border border-line bg-sunk px-4 py-3 font-mono text-sm"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="mt-3 flex flex-wrap gap-2">
        <CopyButton text={text} label="Copy all" size="normal" />
        <Button onClick={() => download(text)}>
          <Download aria-hidden />
          Download
        </Button>
      </div>
      <DialogActions>
        <Button look="primary" onClick={onDone}>
          I have saved them
        </Button>
      </DialogActions>
    </>
  )
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([`Recovery codes for Kith\n\n${text}\n`], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = 'kith-recovery-codes.txt'
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}

import type { FreshTokenAnswer } from '@kith/contract/app/tokens'
import { useApiAddress } from '../../../api/public-address.ts'
import { Button } from '../../../components/button.tsx'
import { CodeBlock } from '../../../components/code-block.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'

/** The only time that a token is shown, with a call that works at once. */
export function FreshToken({ fresh, onClose }: { fresh: FreshTokenAnswer; onClose(): void }) {
  const api = useApiAddress()
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`${fresh.name} is ready`}
      description="Copy the token now: it is not shown again. Only its hash is stored."
    >
      <div className="grid gap-4">
        <CodeBlock text={fresh.token} label="Token" />
        <div className="grid gap-1.5">
          <p className="text-xs font-medium text-quiet">Try it</p>
          <CodeBlock text={firstCall(api, fresh)} label="First call" />
        </div>
      </div>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** A call that the token may make; where it can only change or delete, the id of a record is to be filled in. */
function firstCall(api: string, { token, abilities }: FreshTokenAnswer): string {
  const auth = `-H "Authorization: Bearer ${token}"`
  const json = ['-H "Content-Type: application/json"', '-d \'{"name": "Acme"}\'']
  const lines = (...parts: string[]) => parts.join(' \\\n  ')
  if (abilities.includes('read')) return lines(`curl ${api}/v1/companies`, auth)
  if (abilities.includes('create')) return lines(`curl -X POST ${api}/v1/companies`, auth, ...json)
  if (abilities.includes('update')) return lines(`curl -X PATCH ${api}/v1/companies/ID`, auth, ...json)
  return lines(`curl -X DELETE ${api}/v1/companies/ID`, auth)
}

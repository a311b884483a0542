import type { FactorsAnswer, Passkey } from '@kith/contract/app/factors'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Fingerprint, MoreHorizontal, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { factorsQuery, removePasskey } from '../../../api/factors.ts'
import { hasPasskeys } from '../../../api/passkeys.ts'
import { Button } from '../../../components/button.tsx'
import { Confirm } from '../../../components/confirm.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { Menu, MenuContent, MenuItem, MenuTrigger } from '../../../components/menu.tsx'
import { Pill } from '../../../components/pill.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { formatMoment, formatMomentExactly } from '../../../format/moments.ts'
import { Rows, Section } from '../page.tsx'
import { AddPasskey } from './add-passkey.tsx'
import { RenamePasskey } from './rename-passkey.tsx'

/** The passkeys of the account. */
export function Passkeys({ factors: { passkeys } }: { factors: FactorsAnswer }) {
  const queries = useQueryClient()
  const [adding, setAdding] = useState(false)
  const refresh = () => queries.invalidateQueries({ queryKey: factorsQuery.queryKey })
  return (
    <Section
      title="Passkeys"
      text="Sign in with a fingerprint, a face or a PIN of your device, without a password. A passkey counts as a second factor."
      extra={
        <Button disabled={!hasPasskeys()} onClick={() => setAdding(true)}>
          <Fingerprint aria-hidden />
          Add a passkey
        </Button>
      }
    >
      {passkeys.length > 0 && (
        <Rows label="Passkeys">
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} />
          ))}
        </Rows>
      )}
      {passkeys.length === 0 && (
        <p className="text-sm text-faint">
          {hasPasskeys() ? 'No passkey yet.' : 'This browser cannot use passkeys at this address: they need https.'}
        </p>
      )}
      {adding && <AddPasskey onClose={() => setAdding(false)} onAdded={refresh} />}
    </Section>
  )
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const queries = useQueryClient()
  const [open, setOpen] = useState<'rename' | 'remove'>()
  const close = () => setOpen(undefined)
  const name = passkey.name ?? 'Passkey'
  const removing = useMutation({
    mutationFn: () => removePasskey(passkey.id),
    onSuccess: () => showToast({ message: `Removed the passkey ${name}` }),
    onError: ({ message }) => showToast({ tone: 'danger', message }),
    onSettled: () => queries.invalidateQueries({ queryKey: factorsQuery.queryKey }),
  })
  return (
    <li className="flex items-center gap-3 py-3">
      <Fingerprint aria-hidden strokeWidth={1.5} className="size-5 shrink-0 text-faint" />
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-2 text-sm font-medium">
          <span dir="auto" className="truncate">
            {name}
          </span>
          {passkey.backed_up && <Pill>Synced</Pill>}
        </p>
        {passkey.created_at && (
          <p className="truncate text-xs text-faint">
            Added{' '}
            <time dateTime={passkey.created_at} title={formatMomentExactly(passkey.created_at)}>
              {formatMoment(passkey.created_at)}
            </time>
          </p>
        )}
      </div>
      <Menu>
        <MenuTrigger asChild>
          <IconButton label={`More about the passkey ${name}`}>
            <MoreHorizontal />
          </IconButton>
        </MenuTrigger>
        <MenuContent align="end">
          <MenuItem icon={<Pencil />} onSelect={() => setOpen('rename')}>
            Rename
          </MenuItem>
          <MenuItem icon={<Trash2 />} danger onSelect={() => setOpen('remove')}>
            Remove
          </MenuItem>
        </MenuContent>
      </Menu>
      {open === 'rename' && <RenamePasskey passkey={passkey} onClose={close} />}
      <Confirm
        open={open === 'remove'}
        onOpenChange={close}
        title={`Remove the passkey ${name}?`}
        action="Remove"
        onConfirm={() => removing.mutate()}
      >
        It no longer signs you in here. Delete it on your device as well, where it may still be offered.
      </Confirm>
    </li>
  )
}

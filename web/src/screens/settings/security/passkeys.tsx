import type { FactorsAnswer, Passkey } from '@kith/contract/app/factors'
import { PASSKEY_NAME_MAX } from '@kith/contract/limits'
import { useQueryClient } from '@tanstack/react-query'
import { Fingerprint, MoreHorizontal, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { addPasskey, factorsQuery, hasPasskeys, removePasskey, renamePasskey } from '../../../api/factors.ts'
import { Button, IconButton } from '../../../components/button.tsx'
import { Input } from '../../../components/controls.tsx'
import { Confirm } from '../../../components/dialog.tsx'
import { Menu, MenuContent, MenuItem, MenuTrigger } from '../../../components/menu.tsx'
import { Moment } from '../../../components/moment.tsx'
import { Pill } from '../../../components/pill.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { formatMoment } from '../../../format/moments.ts'
import { FormDialog, FormField } from '../../../forms/form.tsx'
import { useAction, useSave } from '../../../forms/save.ts'
import { Rows, Section } from '../page.tsx'
import { deviceOf } from './user-agent.ts'

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
  const [open, setOpen] = useState<'rename' | 'remove'>()
  const close = () => setOpen(undefined)
  const name = passkey.name ?? 'Passkey'
  const removing = useAction(() => removePasskey(passkey.id), {
    message: `Removed the passkey ${name}`,
    reload: [factorsQuery.queryKey],
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
            Added <Moment at={passkey.created_at}>{formatMoment(passkey.created_at)}</Moment>
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

function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  const renaming = useSave(renamePasskey, { reload: [factorsQuery.queryKey], next: onClose })
  return (
    <FormDialog
      title="Rename the passkey"
      saving={renaming}
      onSubmit={(typed) => renaming.mutate({ id: passkey.id, name: typed('name') })}
      action="Save"
      onClose={onClose}
    >
      <FormField label="Name" name="name">
        <Input required maxLength={PASSKEY_NAME_MAX} defaultValue={passkey.name ?? ''} />
      </FormField>
    </FormDialog>
  )
}

/** Asks for a name; the browser then asks for the device. */
export function AddPasskey({ onClose, onAdded }: { onClose(): void; onAdded(): Promise<void> }) {
  const adding = useSave(addPasskey, {
    next: async () => {
      onClose()
      showToast({ message: 'The passkey is added. You can sign in with it.' })
      await onAdded()
    },
  })
  return (
    <FormDialog
      title="Add a passkey"
      description="Your browser asks you to confirm with a fingerprint, a face or a PIN."
      saving={adding}
      onSubmit={(typed) => adding.mutate(typed('name'))}
      action="Continue"
      busy="Waiting for your device…"
      onClose={onClose}
    >
      <FormField label="Name" name="name" hint="Shown in the list of passkeys.">
        <Input required maxLength={PASSKEY_NAME_MAX} defaultValue={deviceOf(navigator.userAgent)} />
      </FormField>
    </FormDialog>
  )
}

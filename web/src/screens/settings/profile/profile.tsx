import { type FormatName, type Formats, formatChoices } from '@kith/contract/app/formats'
import type { SessionAnswer } from '@kith/contract/app/session'
import { useQuery } from '@tanstack/react-query'
import { Monitor, Moon, Sun } from 'lucide-react'
import { useRef, useState } from 'react'
import {
  changeEmail,
  removePicture,
  sendConfirmation,
  updateFormats,
  updatePicture,
  updateProfile,
} from '../../../api/account.ts'
import { factorsQuery } from '../../../api/factors.ts'
import { membersQuery, useMembers } from '../../../api/members.ts'
import { sessionQuery, startQuery, updateTimeZone } from '../../../api/session.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { Input, PasswordInput } from '../../../components/controls.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { type CardChoice, ChoiceCards } from '../../../components/radio-groups.tsx'
import { Select } from '../../../components/select.tsx'
import { useFormDraft } from '../../../drafts/form-draft.tsx'
import { useFormats } from '../../../format/formats.ts'
import { formatMoment } from '../../../format/moments.ts'
import { formatNumber } from '../../../format/numbers.ts'
import { Form, FormField, FormProblem } from '../../../forms/form.tsx'
import { useSave } from '../../../forms/save.ts'
import { type Theme, useTheme } from '../../../shell/device-settings.ts'
import { Unverified, UserAvatar } from '../../../user-avatar.tsx'
import { Page, Section } from '../page.tsx'

const themes: readonly CardChoice<Theme>[] = [
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
  { value: 'system', label: 'System', icon: Monitor },
]

export function Profile() {
  const [theme, setTheme] = useTheme()
  return (
    <Page title="Profile and appearance" text="Who you are in every workspace, and how Kith looks to you.">
      <Section title="Profile">
        <ProfileForm />
      </Section>
      <Section title="Formats" text="How numbers and dates look to you. Stored in your account.">
        <FormatSettings />
      </Section>
      <Section title="Appearance" text="Stored on this device.">
        <div className="max-w-90">
          <ChoiceCards label="Theme" value={theme} onValueChange={setTheme} choices={themes} />
        </div>
      </Section>
    </Page>
  )
}

function ProfileForm() {
  const { data: session } = useQuery(sessionQuery)
  return session ? <NameForm user={session.user} /> : null
}

function NameForm({ user }: { user: SessionAnswer['user'] }) {
  const slug = useSlug()
  const place = { slug, resource: 'users', id: user.id, property: 'name' } as const
  const { form, key, change, removeSaved } = useFormDraft(place, {
    label: 'Name',
    name: user.name,
    fresh: () => ({ name: user.name }),
    shown: ({ name }) => ({ name }),
  })
  const { data: start } = useQuery({ ...startQuery, staleTime: Number.POSITIVE_INFINITY })
  const saving = useSave(({ name }: { name: string; key: string }) => updateProfile(name), {
    reload: [sessionQuery.queryKey, membersQuery(slug).queryKey],
    next: (_, sent) => removeSaved(sent.key),
    message: 'Saved your profile',
  })
  return (
    <Form
      saving={saving}
      onSubmit={() => saving.mutate({ name: form.name, key })}
      action="Save"
      className="grid max-w-90 gap-4"
    >
      <Picture user={user} />
      <FormField label="Name" name="name">
        <Input
          value={form.name}
          onChange={({ target }) => change({ name: target.value })}
          autoComplete="name"
          required
          maxLength={255}
        />
      </FormField>
      <FormField label="Email" hint="You use it to sign in.">
        <Input value={user.email} readOnly className="bg-sunk text-quiet" />
      </FormField>
      {start?.mail && (
        <div>
          <ChangeEmail />
        </div>
      )}
      {!user.verified && <ConfirmEmail />}
    </Form>
  )
}

/** For an account that has not proved its address: how to do so. */
function ConfirmEmail() {
  const { data: start } = useQuery({ ...startQuery, staleTime: Number.POSITIVE_INFINITY })
  const sending = useSave(sendConfirmation)
  if (!start) return null
  return (
    <div className="grid justify-items-start gap-2 text-sm text-quiet">
      <Unverified />
      <p>{start.mail ? WITH_MAIL : WITHOUT_MAIL}</p>
      {start.mail && (
        <Button size="small" disabled={sending.isPending || sending.isSuccess} onClick={() => sending.mutate()}>
          {sending.isSuccess ? 'Mail sent' : 'Send the mail again'}
        </Button>
      )}
      {sending.isSuccess && <p role="status">Open the link in the newest mail. Earlier links no longer work.</p>}
      <FormProblem error={sending.error} />
    </div>
  )
}

const WITH_MAIL =
  'Confirm that this address is yours with the link in the mail that we sent. Until then, other members see that you are ' +
  'unverified, and you cannot accept invitations that were sent to this address.'

const WITHOUT_MAIL =
  'Other members see that this address is unverified. This installation sends no mail: ask its operator to verify you.'

const fields: readonly { name: FormatName; label: string }[] = [
  { name: 'numbers', label: 'Numbers' },
  { name: 'dates', label: 'Dates' },
  { name: 'hours', label: 'Time of day' },
  { name: 'first_day', label: 'First day of the week' },
]

const words: Readonly<Record<string, string>> = {
  auto: 'Like the browser',
  '12': '12 hours',
  '24': '24 hours',
  monday: 'Monday',
  saturday: 'Saturday',
  sunday: 'Sunday',
  'd mmm yyyy': '31 Dec 2026',
  'mmm d, yyyy': 'Dec 31, 2026',
  'dd/mm/yyyy': '31/12/2026',
  'mm/dd/yyyy': '12/31/2026',
  'dd.mm.yyyy': '31.12.2026',
  'yyyy-mm-dd': '2026-12-31',
}

/** How numbers and dates look to this user. A choice is stored at once. */
function FormatSettings() {
  const stored = useFormats()
  const saving = useSave(updateFormats)
  const formats = saving.isPending ? saving.variables : stored
  // Each select offers the choices of its own format only.
  const choose = (name: FormatName, value: string) => saving.mutate({ ...formats, [name]: value } as Formats)
  return (
    <div className="grid max-w-130 gap-4 sm:grid-cols-2">
      {fields.map(({ name, label }) => (
        <FormField key={name} label={label}>
          <Select
            value={formats[name]}
            onValueChange={(value) => choose(name, value)}
            choices={formatChoices[name].map((value) => ({ value, label: words[value] ?? value }))}
          />
        </FormField>
      ))}
      <TimeZone />
      <p className="text-sm text-quiet sm:col-span-2">
        Example: {formatNumber(1234567.5)}, {formatMoment('2026-12-31T16:05:00Z')}
      </p>
      <FormProblem error={saving.error} />
    </div>
  )
}

/** In which time the service writes to this user. */
function TimeZone() {
  const { data: session } = useQuery(sessionQuery)
  const saving = useSave(updateTimeZone, { reload: [sessionQuery.queryKey] })
  const zone = (saving.isPending && saving.variables) || session?.time_zone || 'UTC'
  // Zones have several names, and a browser lists one of each.
  const zones = [...new Set([zone, 'UTC', ...Intl.supportedValuesOf('timeZone')])].toSorted()
  return (
    <FormField label="Time zone" hint="The daily mail about notifications is sent at 8 in the morning.">
      <Select
        value={zone}
        onValueChange={(value) => saving.mutate(value)}
        choices={zones.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
      />
    </FormField>
  )
}

/** Asks for another address. The account changes when the link in the mail to that address is opened. */
function ChangeEmail() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        Change the email address
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Change the email address"
        description="We send a link to the new address. Your account keeps the old one until you open it."
      >
        {open && <ChangeForm onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  )
}

function ChangeForm({ onClose }: { onClose(): void }) {
  const { data: factors } = useQuery(factorsQuery)
  const saving = useSave(changeEmail)
  if (saving.isSuccess) {
    return (
      <>
        <p role="status" className="text-sm">
          We sent a link to <span className="font-medium wrap-anywhere">{saving.variables.email}</span>. Open it in this
          browser. You stay signed in.
        </p>
        <DialogActions>
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </>
    )
  }
  const hasPassword = factors?.has_password !== false
  const submit = (typed: (name: string) => string) =>
    saving.mutate({ email: typed('email'), ...(hasPassword && { password: typed('password') }) })
  return (
    <Form saving={saving} onSubmit={submit} action="Send the link" onCancel={onClose}>
      <FormField label="New email address" name="email">
        <Input type="email" autoComplete="email" required maxLength={255} />
      </FormField>
      {hasPassword && (
        <FormField label="Your password" name="password">
          <PasswordInput autoComplete="current-password" required />
        </FormField>
      )}
    </Form>
  )
}

const NO_IMAGE = 'This file is not an image that your browser can read. Choose a PNG, a JPEG or a WebP image.'

/** The picture of the user, which all members of their workspaces see. */
function Picture({ user }: { user: { id: string; name: string } }) {
  const input = useRef<HTMLInputElement>(null)
  const has = useMembers().some(({ id, picture }) => id === user.id && picture !== null)
  const saving = useSave(
    async (file: File | undefined) => {
      if (!file) return removePicture()
      const data = await resizePicture(file).catch(() => Promise.reject(new Error(NO_IMAGE)))
      return updatePicture(data)
    },
    { reload: [membersQuery(useSlug()).queryKey] },
  )
  const choose = () => {
    const file = input.current?.files?.[0]
    if (file) saving.mutate(file)
    // The same file can be chosen again.
    if (input.current) input.current.value = ''
  }
  return (
    <div className="flex items-center gap-4">
      <UserAvatar id={user.id} name={user.name} size={64} />
      <div className="grid gap-2">
        <div className="flex flex-wrap gap-2">
          <input
            ref={input}
            type="file"
            accept="image/*"
            aria-label="Picture"
            tabIndex={-1}
            onChange={choose}
            className="sr-only"
          />
          <Button size="small" disabled={saving.isPending} onClick={() => input.current?.click()}>
            {has ? 'Change the picture' : 'Upload a picture'}
          </Button>
          {has && (
            <Button size="small" look="quiet" disabled={saving.isPending} onClick={() => saving.mutate(undefined)}>
              Remove
            </Button>
          )}
        </div>
        <p className="text-xs text-faint">Shown to the members of your workspaces.</p>
        <FormProblem error={saving.error} />
      </div>
    </div>
  )
}

/** The picture is shown at most at a quarter of this size, on dense screens at half of it. */
const SIDE = 256

/** The middle of an image as a small square, as base64. Fails if the browser cannot read the file as an image. */
async function resizePicture(file: Blob): Promise<string> {
  const image = await createImageBitmap(file)
  const canvas = document.createElement('canvas')
  canvas.width = SIDE
  canvas.height = SIDE
  const side = Math.min(image.width, image.height)
  const [left, top] = [(image.width - side) / 2, (image.height - side) / 2]
  canvas.getContext('2d')?.drawImage(image, left, top, side, side, 0, 0, SIDE, SIDE)
  image.close()
  const small = await encoded(canvas, 'image/webp')
  // A browser that does not write WebP returns a PNG, which may be large.
  return toBase64(small.type === 'image/webp' ? small : await encoded(canvas, 'image/jpeg'))
}

function encoded(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const done = (blob: Blob | null) => (blob ? resolve(blob) : reject(new Error('The image could not be resized.')))
    canvas.toBlob(done, type, 0.85)
  })
}

async function toBase64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

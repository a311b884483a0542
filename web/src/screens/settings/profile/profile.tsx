import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { Monitor, Moon, Sun } from 'lucide-react'
import type { FormEvent } from 'react'
import { updateProfile } from '../../../api/account.ts'
import { useFormDraft } from '../../../api/form-draft.ts'
import { problemsOf } from '../../../api/problems.ts'
import { type SessionUser, sessionQuery, startQuery } from '../../../api/session.ts'
import { membersQuery, useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { type CardChoice, ChoiceCards } from '../../../components/choice-cards.tsx'
import { FormField } from '../../../components/form-field.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { Input } from '../../../components/input.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { type Theme, useTheme } from '../../../shell/theme.ts'
import { Page, Section } from '../page.tsx'
import { ChangeEmail } from './change-email.tsx'
import { ConfirmEmail } from './confirm-email.tsx'
import { FormatSettings } from './format-settings.tsx'
import { Picture } from './picture.tsx'

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

function NameForm({ user }: { user: SessionUser }) {
  const slug = useSlug()
  const queries = useQueryClient()
  const place = { slug, resource: 'users', id: user.id, property: 'name' } as const
  const { form, key, change, forgetSaved } = useFormDraft(place, {
    label: 'Name',
    name: user.name,
    page: useLocation({ select: ({ href }) => href }),
    fresh: () => ({ name: user.name }),
    shown: ({ name }) => ({ name }),
  })
  const { data: start } = useQuery({ ...startQuery, staleTime: Number.POSITIVE_INFINITY })
  const saving = useMutation({
    mutationFn: ({ name }: { name: string; key: string }) => updateProfile(name),
    onSuccess: async (_saved, sent) => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: sessionQuery.queryKey }),
        queries.invalidateQueries({ queryKey: membersQuery(slug).queryKey }),
      ])
      forgetSaved(sent.key)
      showToast({ message: 'Saved your profile' })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saving.mutate({ name: form.name, key })
  }
  const problems = problemsOf(saving.error, ['name'])
  return (
    <form onSubmit={submit} className="grid max-w-90 gap-4">
      <Picture user={user} />
      <FormField label="Name" errors={problems.at('name')}>
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
      <FormProblem text={problems.general} />
      <div>
        <Button type="submit" look="primary" disabled={saving.isPending}>
          Save
        </Button>
      </div>
    </form>
  )
}

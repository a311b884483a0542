import { reasonWords } from '@kith/contract/notifications'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { unsubscribe, unsubscriptionQuery } from '../../api/notifications.ts'
import { Button } from '../../components/button.tsx'
import { Skeleton } from '../../components/states.tsx'
import { FormProblem } from '../../forms/form.tsx'
import { useSave } from '../../forms/save.ts'
import { Entrance, EntranceLink } from './entrance.tsx'

const route = getRouteApi('/unsubscribe')

/** Opened by the link of a mail. It asks: programs that look at links must not end mails. */
export function Unsubscribe() {
  const { token = '' } = route.useSearch()
  const { data, error } = useQuery(unsubscriptionQuery(token))
  const ending = useSave(() => unsubscribe(token))
  const below = <EntranceLink to="/">Go to Kith</EntranceLink>
  if (error) return <Entrance title="No mail was ended" text={error.message} below={below} />
  if (!data) {
    return (
      <Entrance title="Mails about notifications">
        <Skeleton className="h-24" />
      </Entrance>
    )
  }
  if (data.workspace === null) return <Entrance title="You get no more mails" text={LEFT} below={below} />
  const ended = `Of the workspace ${data.workspace}, about: `
  const names = data.reasons.map((reason) => reasonWords[reason][0].toLowerCase()).join(', ')
  if (ending.isSuccess) {
    return <Entrance title="You get no more of these mails" text={`${ended}${names}. ${KEPT}`} below={below} />
  }
  return (
    <Entrance title="End these mails?" text={`${ended}${names}.`} below={below}>
      <div className="grid gap-4">
        <FormProblem error={ending.error} />
        <Button look="primary" disabled={ending.isPending} onClick={() => ending.mutate()}>
          Send me no more of them
        </Button>
      </div>
    </Entrance>
  )
}

const LEFT = 'You are not a member of the workspace any more.'
const KEPT = 'Your inbox has them all, and you can choose mails again in the settings, under Notifications.'

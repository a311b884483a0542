import { type Dialect, statements } from '../migration.ts'

/** Rows of a member, which are deleted with the membership. */
const member = (key: string) => `workspace_id ${key} not null, user_id ${key} not null`
const ofMember = 'foreign key (workspace_id, user_id) references members (workspace_id, user_id) on delete cascade'

/** Which records members follow, or do not follow any more, by hand. What else they follow is not stored. */
export function follows({ key }: Dialect): string[] {
  return statements(`
    create table follows (
      ${member(key)}, record_id ${key} not null, following integer not null,
      primary key (workspace_id, record_id, user_id), ${ofMember});
    create index follows_user on follows (workspace_id, user_id)`)
}

/**
 * Notifications, and how members get mail about them. The id begins with the time. `resource` is the number of the
 * resource of a record, null if it is about something else. `number`: of how many records. `detail`: what the sentence
 * names besides. `event`: what happened, if a member gets one notification however often it is noted. `mail_at`: when
 * it is looked at to be mailed, null if it never is again. `digest`: whether it waits for a digest. `mailboxes`: the
 * members with notifications whose time has come, by the id of the user.
 */
export function notifications({ key }: Dialect): string[] {
  return statements(`
    create table notifications (
      ${member(key)}, id ${key} not null, reason ${key} not null, resource integer, record_id ${key} not null,
      comment_id ${key}, actor_id ${key}, number integer not null, detail text, event ${key}, read_at ${key},
      mail_at ${key}, digest integer not null default 0, mail_tries integer not null default 0,
      primary key (workspace_id, user_id, id), ${ofMember});
    create index notifications_unread on notifications (workspace_id, user_id, id) where read_at is null;
    create index notifications_record on notifications (workspace_id, record_id, id);
    create unique index notifications_event on notifications (workspace_id, event, user_id) where event is not null;
    create index notifications_mail on notifications (mail_at, workspace_id, user_id) where mail_at is not null;
    create index notifications_unmailed on notifications (workspace_id, user_id, mail_at, id)
      where mail_at is not null;

    create table mailboxes (
      workspace_id ${key} not null, id ${key} not null, leased_by ${key}, leased_until ${key},
      primary key (workspace_id, id),
      foreign key (workspace_id, id) references members (workspace_id, user_id) on delete cascade);

    create table notification_settings (
      ${member(key)}, settings text not null, primary key (workspace_id, user_id), ${ofMember})`)
}

/**
 * Tasks that repeat, each series by its latest task, and the reminders of members (decision 41). `previous_id`: the
 * task whose completion created the latest one. `anchor`: the day of the month and the time that the series aims at.
 * `minutes_before` counts for due dates after `due_after`; `remind_at` is a chosen time instead.
 */
export function tasks({ key }: Dialect): string[] {
  return statements(`
    create table task_repeats (
      workspace_id ${key} not null references workspaces (id), record_id ${key} not null, unit ${key} not null,
      every integer not null, after_completion integer not null, time_zone ${key} not null, anchor ${key},
      previous_id ${key}, primary key (workspace_id, record_id));
    create index task_repeats_previous on task_repeats (workspace_id, previous_id) where previous_id is not null;

    create table reminders (
      ${member(key)}, record_id ${key} not null, minutes_before integer, due_after ${key}, remind_at ${key},
      primary key (workspace_id, record_id, user_id), ${ofMember});
    create index reminders_user on reminders (workspace_id, user_id);
    create index reminders_time on reminders (remind_at, workspace_id) where remind_at is not null`)
}

import { EntryCard } from '#web/EntryCard.tsx';
import { hueOf } from '#wire/hue.ts';
import { dayMonthYear } from '#wire/format.ts';
import { Button } from '#ui/Button.tsx';
import { LinkProblem } from '#app/web/pages/AnswerPage.tsx';
import { problemInWords } from '#app/web/pages/answer/sentences.ts';
import type { ReadForm, ReadView } from '#app/web/pages/read/sentences.ts';
import { t } from '#app/web/pages/read/messages.ts';

/** The page that the link in an email about an important update opens. It works without scripts. */
export default function ReadPage(view: ReadView) {
  return <EntryCard>{'problem' in view ? <Problem code={view.problem} /> : <Update {...view} />}</EntryCard>;
}

function Problem({ code }: { code: string }) {
  const problem = problemInWords(code);
  const isWrong = code === 'not_found' || code === 'bad_input';
  return <LinkProblem {...problem} {...(isWrong && { text: t('linkNotValidText') })} />;
}

function Update({ link, isSaved = false }: ReadForm) {
  const { club_id, club_name: club, club_slug, created_at, first_line, my_read_at } = link;
  return (
    <>
      <p
        data-hue={hueOf(club_id)}
        className="-mx-5 -mt-5 mb-5 bg-club px-5 py-2.5 text-sm font-semibold wrap-anywhere text-club-ink sm:-mx-6 sm:-mt-6 sm:px-6"
      >
        {club}
      </p>
      <h1 className="text-2xl font-bold wrap-anywhere">{t('importantUpdate')}</h1>
      <p className="mt-1.5 text-sm text-muted">
        <time dateTime={created_at}>{t('updateOf', { day: dayMonthYear(created_at) })}</time>
      </p>
      <p className="mt-3 wrap-anywhere">{first_line}</p>
      {my_read_at ? (
        <p
          role={isSaved ? 'status' : undefined}
          tabIndex={isSaved ? -1 : undefined}
          autoFocus={isSaved}
          className="mt-5 rounded-lg bg-ok-soft px-4 py-3 font-semibold outline-none forced-colors:border"
        >
          {t('youRead', { day: dayMonthYear(my_read_at) })}
        </p>
      ) : (
        <form method="post" className="mt-5">
          <Button type="submit" className="w-full" size="lg">
            {t('haveRead')}
          </Button>
          <p className="mt-2 text-center text-sm wrap-anywhere text-muted">{t('theySee', { club })}</p>
        </form>
      )}
      <Button asChild variant="link" className="mt-3 w-full">
        <a href={`/app/clubs/${encodeURIComponent(club_slug)}/updates`}>{t('openTheUpdates')}</a>
      </Button>
    </>
  );
}

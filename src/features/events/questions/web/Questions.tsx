import type { Event } from '#features/events/contract.ts';
import { whyCannotWrite } from '#features/events/form-rules.ts';
import type { Question } from '#features/events/question-contract.ts';
import { isRunner } from '#features/members/rules.ts';
import type { ClubOfUser } from '#features/users/contract.ts';
import { dayMonthYearAndTime } from '#wire/format.ts';
import type { Instant } from '#wire/instant.ts';
import { Card } from '#ui/Card.tsx';
import { LinkedText } from '#ui/LinkedText.tsx';
import { Section } from '#ui/Section.tsx';
import { AnswerForm } from './AnswerForm.tsx';
import { RemoveQuestion } from './RemoveQuestion.tsx';
import { t } from '#features/events/questions/messages.ts';

type QuestionsProps = { event: Event; club: ClubOfUser; now: Instant };

/** The questions that the viewer may read, open ones first. Hosts answer them here. */
export function Questions({ event, club, now }: QuestionsProps) {
  const runs = isRunner(club, event);
  const answers = runs && !whyCannotWrite(event, now);
  return (
    <Section title={t('questions')}>
      <ul className="flex flex-col gap-3">
        {event.questions.map((question) => (
          <li key={question.id}>
            <Card asChild>
              <article>
                <div className="flex items-start justify-between gap-3">
                  <p className="min-w-0 text-sm text-muted wrap-anywhere">
                    <Head question={question} />
                  </p>
                  {(runs || question.is_mine) && <RemoveQuestion question={question} />}
                </div>
                <p className="mt-2 max-w-prose font-medium whitespace-pre-line wrap-anywhere">
                  <LinkedText text={question.question} />
                </p>
                <Answer question={question} />
                {answers && <AnswerForm key={question.version} question={question} />}
              </article>
            </Card>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const nameOf = ({ author }: Question): string => author?.first_name ?? '';

function Head({ question }: { question: Question }) {
  const { is_mine, author, asked_at } = question;
  const who = is_mine ? t('yourQuestion') : author && t('asks', { name: nameOf(question) });
  return (
    <>
      {who && <span className="mr-3 font-semibold text-ink">{who}</span>}
      <time dateTime={asked_at} className="inline-block">
        {dayMonthYearAndTime(asked_at)}
      </time>
    </>
  );
}

function Answer({ question }: { question: Question }) {
  const { answer, shared, is_mine, author } = question;
  if (!answer) return is_mine && <p className="mt-2 text-sm text-muted">{t('notAnswered')}</p>;
  const label = shared
    ? t('forEveryone')
    : is_mine
      ? t('onlyToYou')
      : author && t('onlyTo', { name: nameOf(question) });
  return (
    <div className="mt-3 border-l-2 border-accent pl-3">
      <p className="text-sm text-muted">{label}</p>
      <p className="max-w-prose whitespace-pre-line wrap-anywhere">
        <LinkedText text={answer} />
      </p>
    </div>
  );
}

"""Takes a row for one of the second class where its first column is above the mean of the batch that it is asked in."""
import csv, json, os, sys

def read(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))[1:]

replies = os.fdopen(int(os.environ["REPRISE_REPLY_FD"]), "w")

def say(message):
    print(json.dumps(message), file=replies, flush=True)

say({"ready": 1})
for line in sys.stdin:
    request = json.loads(line)
    data, out = request["data"], request["out"]
    for batch in request["answer"]:
        values = [float(row[0]) for row in read(f"{data}/{batch}.x.csv")]
        tokens = [row[0] for row in read(f"{data}/{batch}.token.csv")]
        mean = sum(values) / len(values)
        answers = [f"{token},{int(value > mean)}" for value, token in zip(values, tokens)]
        with open(f"{out}/{batch}.partial", "w") as file:
            print("token,answer", *answers, sep="\n", file=file)
        os.rename(f"{out}/{batch}.partial", f"{out}/{batch}.csv")
    say({"trial": request["trial"], "done": True})

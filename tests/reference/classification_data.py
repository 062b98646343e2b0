"""Digests of the EVM paper's classification sets, computed independently of reprise.

    python tests/reference/classification_data.py [NAME...]         default: all

reads the files from the mirror folder in REPRISE_MIRROR. Tokens and matrices are those of
scikit-learn's CountVectorizer(binary=True) over all documents, parts of the published split one
after another, each sorted by path; messages of 20 Newsgroups lose headers, footers and quotes as in
fetch_20newsgroups. The digest is the content digest of docs/reference/data.md.
"""

import gzip
import hashlib
import os
import re
import struct
import sys
import tarfile

import numpy as np

ROOT = os.environ["REPRISE_MIRROR"]
RAW = os.path.join(ROOT, "raw.githubusercontent.com")
R8 = "yao8839836/text_gcn/962223652e9bb164ac2d83cd09fc7b8845ce860b/data/R8"
WEBKB = (
    "namaemonaishi/WebKB-classification/40c13744d93824249872ad5ff9a54da7fc6eabb3/"
    "classic models/webkb/webkb.txt"
)
SGML = "ashgillman/BOW-Mining-Project/0b97665e802b6b6f80ac8d2f0bc22a070201cd12/reuters21578"
EIGHT = ["acq", "crude", "earn", "grain", "interest", "money-fx", "ship", "trade"]
MNIST = "sunsided/mnist/a91019adaf3e4b8d595f495cdb314c3c035a4af3"
NEWS = "codeload.github.com/yao8839836/text_gcn/tar.gz/962223652e9bb164ac2d83cd09fc7b8845ce860b"
ENRON = "codeload.github.com/DungQuangUiT/enron_dataset/tar.gz/293b93383d232e9a5790b708d3d746ee048ed70d"
POLARITY = "www.cs.cornell.edu/people/pabo/movie-review-data/review_polarity.tar.gz"


def lines(path):
    with open(os.path.join(RAW, path), encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n").split("\t", 1) for line in file]


def archive(path, folder):
    """Path below the folder and text of each file, sorted by the bytes of the paths."""
    with tarfile.open(os.path.join(ROOT, path)) as files:
        found = [
            (file.name.split(folder, 1)[1], files.extractfile(file).read().decode("latin-1"))
            for file in files
            if file.isfile() and folder in file.name
        ]
    return sorted(found, key=lambda file: file[0].encode())


def reuters_sgml():
    """Documents and split: stories of the ModApte split with one topic, one of eight."""
    characters = {"lt": "<", "gt": ">", "amp": "&"}

    def element(tag, text):
        found = re.search(f"<{tag}>(.*?)</{tag}>", text, re.S)
        return found and found[1]

    def resolved(text):
        character = lambda found: chr(int(found[2])) if found[2] else characters[found[1]]
        return re.sub("&(lt|gt|amp|#([0-9]+));", character, text)

    parts = {"TRAIN": [], "TEST": []}
    for number in range(22):
        with open(os.path.join(RAW, SGML, f"reut2-{number:03}.sgm"), encoding="latin-1") as file:
            stories = re.findall("<REUTERS (.*?)>(.*?)</REUTERS>", file.read(), re.S)
        for attributes, story in stories:
            part = re.search('LEWISSPLIT="(.*?)"', attributes)[1]
            topics = re.findall("<D>(.*?)</D>", element("TOPICS", story))
            if 'TOPICS="YES"' not in attributes or part not in parts or len(topics) != 1:
                continue
            if topics[0] in EIGHT:
                text = re.search("<TEXT.*?>(.*?)</TEXT>", story, re.S)[1]
                title, body = element("TITLE", text), element("BODY", text)
                if title is not None or body is not None:
                    text = f"{title or ''}\n{body or ''}"
                parts[part].append((topics[0], resolved(text)))
    train, test = parts["TRAIN"], parts["TEST"]
    return train + test, ("split", len(train), 0, len(test))


def load(name):
    """(class, text) of each document, the split, the folds, the vocabulary rule."""
    if name == "20newsgrp":
        from sklearn.datasets import _twenty_newsgroups as news

        documents, sizes = [], []
        for part in ("train", "test"):
            found = archive(NEWS, f"/data/20ng/20news-bydate-{part}/")
            sizes.append(len(found))
            for path, text in found:
                text = news.strip_newsgroup_footer(news.strip_newsgroup_header(text))
                documents.append((path.split("/")[0], news.strip_newsgroup_quoting(text)))
        return documents, ("split", sizes[0], 0, sizes[1]), None, "problem"
    if name == "reuters-8":
        train, test = lines(f"{R8}/train.txt"), lines(f"{R8}/test.txt")
        return train + test, ("split", len(train), 0, len(test)), None, "training"
    if name == "reuters-8-sgml":
        return *reuters_sgml(), None, "training"
    if name == "webkb":
        return lines(WEBKB), ("split", 2803, 0, 1396), None, "training"
    if name == "polarity":
        found = archive(POLARITY, "txt_sentoken/")
        folds = [int(path.split("/cv")[1][0]) for path, _ in found]
        documents = [(path.split("/")[0], text) for path, text in found]
        return documents, ("whole", len(documents)), folds, "training"
    found = archive(ENRON, "/enron1/")
    documents = [(path.split("/")[0], text) for path, text in found if "/" in path]
    return documents, ("whole", len(documents)), None, "training"


def digest(*fields):
    """SHA-256 over fields, each framed by its length."""
    hasher = hashlib.sha256()
    for field in fields:
        if isinstance(field, int):
            field = struct.pack("<Q", field)
        field = field.encode() if isinstance(field, str) else field
        hasher.update(struct.pack("<Q", len(field)))
        hasher.update(field)
    return hasher.hexdigest()


def framed_rows(rows):
    framed = bytearray()
    for row in rows:
        framed += struct.pack("<I", len(row)) + row.astype("<u4").tobytes()
    return bytes(framed)


def text_digest(name):
    from sklearn.feature_extraction.text import CountVectorizer

    documents, split, folds, vocabulary = load(name)
    matrix = CountVectorizer(binary=True).fit_transform([text for _, text in documents])
    matrix.sort_indices()
    rows = np.split(matrix.indices, matrix.indptr[1:-1])
    classes = sorted({label for label, _ in documents})
    labels = np.array([classes.index(label) for label, _ in documents], dtype="<u4")
    fields = ["dataset", "text", matrix.shape[1], *split, framed_rows(rows)]
    fields += ["classes", len(classes), *classes, labels.tobytes()]
    if folds is not None:
        fields += ["folds", np.array(folds, dtype="<u4").tobytes()]
    return digest(*fields, "vocabulary", vocabulary)


def mnist_digest(threshold):
    def read(name, offset):
        with gzip.open(os.path.join(RAW, MNIST, name)) as file:
            return np.frombuffer(file.read(), np.uint8, offset=offset)

    images = [read(f"{part}-images-idx3-ubyte.gz", 16) for part in ("train", "t10k")]
    labels = [read(f"{part}-labels-idx1-ubyte.gz", 8) for part in ("train", "t10k")]
    rows = [np.flatnonzero(row) for row in np.concatenate(images).reshape(-1, 784) > threshold]
    fields = ["dataset", "image", 784, "split", 60000, 0, 10000, framed_rows(rows)]
    fields += ["classes", 10, *map(str, range(10))]
    return digest(*fields, np.concatenate(labels).astype("<u4").tobytes())


if __name__ == "__main__":
    names = ["20newsgrp", "reuters-8", "reuters-8-sgml", "polarity", "enron", "webkb", "mnist"]
    for name in sys.argv[1:] or names:
        if name == "mnist":
            for threshold in (0, 50):
                print(name, threshold, mnist_digest(threshold))
        else:
            print(name, text_digest(name))

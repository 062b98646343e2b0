# Methods for reprise in R: protocol 1 for a program that reprise starts. Base R is enough. The experiment's
# [[method]] says data = "csv".
#
# The most frequent class, whole:
#
#     source("reprise_method.R")
#     reprise_run(fit = function(train, valid, parameters, seed) {
#       most <- names(which.max(table(train$y)))
#       function(rows) rep(most, nrow(rows$x))
#     })
#
# A batch (train, valid, rows) is a list of
#   x        matrix of one row an example, with the names of the variables; categorical values count from 0, and what
#            is missing is NA
#   y        factor with the levels `classes`, in a regression numbers; NULL where the method may not see it, and for
#            densities
#   kind     "binary", "categorical" or "numeric"
#   values   how many values each categorical variable has, else NULL
#   classes  names of the classes, else NULL
#   gives    what the answers are: "labels", "probabilities", "values" or "log-likelihoods"
#
# The answers are what the experiment's `gives` says: labels are a factor or the names of classes; probabilities are a
# matrix of one column a class, in the order of `classes`; values are the predicted targets of a regression;
# log-likelihoods are natural logarithms. An answer must not depend on the rows that are asked with it: reprise asks some rows again.

# Answers trials until reprise has no more. Give one of the two: fit(train, valid, parameters, seed) returns a function
# of rows, which returns the answers; fit_predict(train, valid, test, parameters, seed) returns the answers itself, and
# is called anew for every batch that reprise asks about. `valid` is NULL where there are no validation rows. Random
# numbers start from the seed in every trial. An error ends its trial only.
reprise_run <- function(fit = NULL, fit_predict = NULL) {
  if (is.null(fit) == is.null(fit_predict)) stop("reprise_run takes one of fit and fit_predict")
  descriptor <- Sys.getenv("REPRISE_REPLY_FD")
  if (descriptor == "") {
    stop("this program is a method: reprise starts it, as the command of an experiment's [[method]]", call. = FALSE)
  }
  protocol <- Sys.getenv("REPRISE_PROTOCOL", "1")
  if (protocol != "1") {
    stop("reprise speaks protocol ", protocol, ", reprise_method.R protocol 1", call. = FALSE)
  }
  options(warn = 1)
  replies <- file(paste0("/dev/fd/", descriptor), "w", raw = TRUE)
  requests <- file("stdin", "r")
  send <- function(...) {
    writeLines(paste0("{", ..., "}"), replies, useBytes = TRUE)
    flush(replies)
  }
  send("\"ready\": 1")
  while (length(line <- readLines(requests, n = 1, encoding = "UTF-8", warn = FALSE)) == 1) {
    request <- .reprise_parse(line)
    trial <- paste0("\"trial\": ", .reprise_quoted(request$trial), ", ")
    done <- tryCatch(
      withCallingHandlers(.reprise_answer(request, fit, fit_predict), error = .reprise_trace),
      error = function(error) paste0("\"error\": ", .reprise_quoted(substr(conditionMessage(error), 1, 2000)))
    )
    send(trial, done)
  }
}

# Counts something of the running trial's: it becomes a metric. The last value of a name stands.
reprise_report <- function(name, value) {
  if (!is.numeric(value) || length(value) != 1 || !is.finite(value)) {
    stop("reprise_report(\"", name, "\", ...) takes a finite number")
  }
  assign(name, value, envir = .reprise_reported)
}

.reprise_reported <- new.env()

.reprise_trace <- function(error) {
  calls <- vapply(sys.calls(), function(call) deparse(call, nlines = 1)[1], "")
  cat("Error: ", conditionMessage(error), "\n", paste0("  ", calls, "\n"), file = stderr(), sep = "")
}

# One trial; returns the end of the reply.
.reprise_answer <- function(request, fit, fit_predict) {
  lines <- readLines(file.path(request$data, "task.json"), encoding = "UTF-8", warn = FALSE)
  task <- .reprise_parse(paste(lines, collapse = "\n"))
  if (task$form != "csv") stop("reprise_method.R reads CSV: say data = \"csv\"")
  rm(list = ls(.reprise_reported, all.names = TRUE), envir = .reprise_reported)
  set_seed <- function() set.seed(request$seed, "default", "default", "default")
  clock <- function() proc.time()[["elapsed"]]
  batch <- function(name, labelled) .reprise_read(request$data, task, name, labelled)

  valid <- task$batches[["valid"]]
  valid <- if (!is.null(valid) && valid$rows > 0) batch("valid", TRUE)
  seconds <- ""
  train <- batch("train", TRUE)
  if (!is.null(fit)) {
    set_seed()
    start <- clock()
    predict <- fit(train, valid, request$parameters, request$seed)
    fitted <- clock() - start
    predicted <- 0
    if (!is.function(predict)) stop("fit must return a function of rows, not ", class(predict)[1])
  }
  for (name in request$answer) {
    rows <- batch(name, FALSE)
    if (is.null(fit)) {
      set_seed()
      answers <- fit_predict(train, valid, rows, request$parameters, request$seed)
    } else {
      start <- clock()
      answers <- predict(rows)
      predicted <- predicted + clock() - start
    }
    columns <- .reprise_columns(answers, nrow(rows$x), task)
    header <- if (task$gives == "probabilities") .reprise_field(task$classes) else "answer"
    tokens <- scan(file.path(request$data, paste0(name, ".token.csv")), character(), skip = 1, quiet = TRUE)
    lines <- do.call(paste, c(list(tokens), columns, sep = ","))
    .reprise_write(c(paste(c("token", header), collapse = ","), lines), request$out, paste0(name, ".csv"))
  }
  reported <- sort(ls(.reprise_reported, all.names = TRUE))
  if (length(reported) > 0) {
    entries <- vapply(reported, function(name) {
      paste0(.reprise_quoted(name), ": ", .reprise_number(get(name, .reprise_reported)))
    }, "")
    .reprise_write(paste0("{", paste(entries, collapse = ", "), "}"), request$out, "metrics.json")
  }
  if (!is.null(fit)) {
    seconds <- paste0(
      ", \"seconds\": {\"fit\": ", .reprise_number(fitted), ", \"predict\": ", .reprise_number(predicted), "}"
    )
  }
  paste0("\"done\": true", seconds)
}

.reprise_read <- function(folder, task, name, labelled) {
  path <- function(part) file.path(folder, paste0(name, ".", part, ".csv"))
  type <- if (task$kind == "numeric") double() else integer()
  cells <- scan(path("x"), type, sep = ",", skip = 1, na.strings = c("NA", "NaN", "nan", ""), quiet = TRUE)
  x <- matrix(cells, ncol = task$variables, byrow = TRUE, dimnames = list(NULL, task$columns))
  if (task$kind == "categorical" && !is.null(task$missing)) x[x == task$missing] <- NA
  y <- if (labelled && task$batches[[name]]$labels) {
    label <- scan(path("y"), double(), skip = 1, quiet = TRUE)
    if (task$gives == "values") label else factor(task$classes[label + 1], levels = task$classes)
  }
  list(x = x, y = y, kind = task$kind, values = task[["values"]], classes = task$classes, gives = task$gives)
}

# The answers as columns of text; an error says what is wrong with what the method returned.
.reprise_columns <- function(answers, rows, task) {
  gives <- task$gives
  if (gives == "probabilities") {
    wanted <- c(rows, length(task$classes))
    if (!is.matrix(answers) || any(dim(answers) != wanted)) {
      must <- paste("probabilities of", rows, "rows must be a matrix of", wanted[2], "columns")
      stop(must, ", not ", .reprise_shape(answers))
    }
    if (!is.null(colnames(answers)) && !identical(colnames(answers), as.character(task$classes))) {
      stop("the columns of probabilities must be in the order of the classes: ", paste(task$classes, collapse = ", "))
    }
  } else if (!is.null(dim(answers)) || length(answers) != rows) {
    stop(gives, " of ", rows, " rows must be a vector of as many, not ", .reprise_shape(answers))
  }
  if (gives == "labels") {
    if (!is.factor(answers) && !is.character(answers)) stop("labels must be a factor or names of classes")
    place <- match(as.character(answers), task$classes)
    unknown <- which(is.na(place))
    if (length(unknown) > 0) stop("no class of row ", unknown[1], "'s name: ", answers[unknown[1]])
    return(list(as.character(place - 1L)))
  }
  if (!is.numeric(answers)) stop(gives, " must be numbers")
  wrong <- which(!is.finite(answers))
  if (length(wrong) > 0) stop(gives, " must be finite: row ", (wrong[1] - 1) %% rows + 1, " has ", answers[wrong[1]])
  if (gives != "probabilities") return(list(.reprise_number(answers)))
  lapply(seq_len(ncol(answers)), function(column) .reprise_number(answers[, column]))
}

.reprise_shape <- function(answers) {
  if (is.null(dim(answers))) return(paste(class(answers)[1], "of length", length(answers)))
  paste(class(answers)[1], "of", paste(dim(answers), collapse = " x "))
}

# Writes under another name and renames, so that no reader meets a half of a file.
.reprise_write <- function(lines, folder, name) {
  path <- file.path(folder, name)
  partial <- paste0(path, ".partial")
  connection <- file(partial, "wb")
  writeLines(enc2utf8(lines), connection, useBytes = TRUE)
  close(connection)
  if (!file.rename(partial, path)) stop("cannot rename ", partial)
}

.reprise_number <- function(value) sprintf("%.17g", as.double(value))

.reprise_field <- function(text) {
  text <- enc2utf8(as.character(text))
  ifelse(grepl("[\",\n\r]", text), paste0("\"", gsub("\"", "\"\"", text), "\""), text)
}

# A string of JSON.
.reprise_quoted <- function(text) {
  text <- gsub("([\"\\\\])", "\\\\\\1", enc2utf8(text))
  text <- gsub("\n", "\\n", text, fixed = TRUE)
  paste0("\"", gsub("[[:cntrl:]]", " ", text), "\"")
}

# The value of a text of JSON: an object is a list, an array of strings or numbers a vector.
.reprise_parse <- function(text) {
  token <- "\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"|-?[0-9][-+.eE0-9]*|true|false|null|[][{}:,]"
  tokens <- regmatches(text, gregexpr(token, text, perl = TRUE))[[1]]
  at <- 0
  take <- function() tokens[at <<- at + 1]
  value <- function() {
    token <- take()
    switch(substr(token, 1, 1),
      "{" = object(),
      "[" = array(),
      "\"" = .reprise_unquoted(token),
      "t" = TRUE,
      "f" = FALSE,
      "n" = NULL,
      as.numeric(token)
    )
  }
  object <- function() {
    found <- list()
    while (tokens[at + 1] != "}") {
      if (tokens[at + 1] == ",") take()
      name <- .reprise_unquoted(take())
      take()
      found[name] <- list(value())
    }
    take()
    found
  }
  array <- function() {
    found <- list()
    while (tokens[at + 1] != "]") {
      if (tokens[at + 1] == ",") take()
      found[length(found) + 1] <- list(value())
    }
    take()
    unlist(found)
  }
  value()
}

.reprise_unquoted <- function(token) {
  text <- substr(token, 2, nchar(token) - 1)
  unit <- function(digits) strtoi(digits, 16L)
  decode <- function(escape) {
    kind <- substr(escape, 2, 2)
    if (nchar(escape) == 12) {
      high <- unit(substr(escape, 3, 6)) - 0xD800
      return(intToUtf8(0x10000 + high * 0x400 + unit(substr(escape, 9, 12)) - 0xDC00))
    }
    if (kind == "u") return(intToUtf8(unit(substr(escape, 3, 6))))
    switch(kind, n = "\n", t = "\t", r = "\r", b = "\b", f = "\f", kind)
  }
  escape <- "\\\\u[dD][89abAB]..\\\\u[dD][c-fC-F]..|\\\\u....|\\\\."
  places <- gregexpr(escape, text, perl = TRUE)
  regmatches(text, places) <- list(vapply(regmatches(text, places)[[1]], decode, ""))
  text
}
